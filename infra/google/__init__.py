"""Google Cloud behind the ports: Firestore, Pub/Sub, Cloud Tasks, identity."""
