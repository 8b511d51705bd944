"""What orchestration costs, measured beside a floor of bare transactions in the same run."""
