"""The statements that the guard and the engine are tried with: attacks, runaways, and honest analysis."""

from __future__ import annotations

ATTACKS = {
    "several statements": "SELECT 1; SELECT 2",
    "hidden second statement": "SELECT id FROM stripe.disputes; DROP TABLE stripe.disputes --",
    "copy out": "COPY stripe.disputes TO '/tmp/out.csv'",
    "copy in": "COPY stripe.disputes FROM '/etc/passwd'",
    "attach": "ATTACH '/tmp/other.duckdb' AS other",
    "detach": "DETACH memory",
    "export": "EXPORT DATABASE '/tmp/dump'",
    "import": "IMPORT DATABASE '/tmp/dump'",
    "read_csv": "SELECT * FROM read_csv('/etc/passwd')",
    "read_csv_auto": "SELECT * FROM read_csv_auto('/etc/passwd')",
    "read_text": "SELECT * FROM read_text('/etc/passwd')",
    "read_blob": "SELECT * FROM read_blob('/etc/passwd')",
    "read_json": "SELECT * FROM read_json('/etc/passwd')",
    "read_parquet": "SELECT * FROM read_parquet('/tmp/x.parquet')",
    "parquet_metadata": "SELECT * FROM parquet_metadata('/tmp/x.parquet')",
    "glob function": "SELECT * FROM glob('/etc/*')",
    "sniff": "SELECT * FROM sniff_csv('/etc/passwd')",
    "bare file": "SELECT * FROM '/etc/passwd'",
    "bare file in double quotes": 'SELECT * FROM "/etc/passwd.csv"',
    "bare file first": "FROM 'data.parquet'",
    "bare url": "SELECT * FROM 'https://example.com/data.csv'",
    "install": "INSTALL httpfs",
    "load": "LOAD httpfs",
    "secret": "CREATE SECRET s (TYPE S3, KEY_ID 'a', SECRET 'b')",
    "secrets view": "SELECT * FROM duckdb_secrets()",
    "create table": "CREATE TABLE stripe.x AS SELECT 1",
    "temp table": "CREATE TEMP TABLE x AS SELECT 1",
    "create view": "CREATE VIEW x AS SELECT 1",
    "create macro": "CREATE MACRO f(x) AS x",
    "drop": "DROP TABLE stripe.disputes",
    "alter": "ALTER TABLE stripe.disputes ADD COLUMN x INT",
    "insert": "INSERT INTO stripe.disputes (id) VALUES ('dp')",
    "update": "UPDATE stripe.disputes SET amount = 0",
    "delete": "DELETE FROM stripe.disputes",
    "delete in a cte": "WITH gone AS (DELETE FROM stripe.disputes RETURNING *) SELECT * FROM gone",
    "merge": "MERGE INTO stripe.disputes USING stripe.charges ON true WHEN MATCHED THEN DELETE",
    "truncate": "TRUNCATE stripe.disputes",
    "set": "SET memory_limit = '100GB'",
    "set variable": "SET VARIABLE x = 1",
    "reset": "RESET memory_limit",
    "pragma": "PRAGMA database_list",
    "pragma with a value": "PRAGMA memory_limit = '100GB'",
    "call": "CALL pragma_version()",
    "settings function": "SELECT * FROM duckdb_settings()",
    "settings scalar": "SELECT current_setting('memory_limit')",
    "environment": "SELECT getenv('HOME')",
    "variable": "SELECT getvariable('x')",
    "catalogue view": "SELECT * FROM information_schema.tables",
    "postgres catalogue": "SELECT * FROM pg_catalog.pg_class",
    "duckdb catalogue": "SELECT * FROM duckdb_tables()",
    "duckdb view": "SELECT * FROM duckdb_columns",
    "sqlite catalogue": "SELECT * FROM sqlite_master",
    "other schema": "SELECT * FROM other_tenant.cases",
    "main schema": "SELECT * FROM main.cases",
    "other database": "SELECT * FROM other.stripe.disputes",
    "table without schema": "SELECT * FROM disputes",
    "query function": "SELECT * FROM query('SELECT 1')",
    "query_table function": "SELECT * FROM query_table('stripe.disputes')",
    "use": "USE stripe",
    "begin": "BEGIN",
    "checkpoint": "CHECKPOINT",
    "force checkpoint": "FORCE CHECKPOINT",
    "vacuum": "VACUUM",
    "analyze": "ANALYZE",
    "explain": "EXPLAIN ANALYZE SELECT 1",
    "describe": "DESCRIBE stripe.disputes",
    "show": "SHOW TABLES",
    "show in a subquery": "SELECT * FROM (SHOW TABLES)",
    "describe in a subquery": "SELECT * FROM (DESCRIBE stripe.disputes)",
    "summarize": "SUMMARIZE stripe.disputes",
    "write_log": "SELECT write_log('x')",
    "prepare": "PREPARE p AS SELECT 1",
    "execute": "EXECUTE p",
    "parameter": "SELECT * FROM stripe.disputes WHERE id = $1",
    "question mark": "SELECT * FROM stripe.disputes WHERE id = ?",
    "select into": "SELECT 1 AS a INTO x",
    "for update": "SELECT * FROM stripe.disputes FOR UPDATE",
    "bare values": "VALUES (1)",
    "pivot statement": "PIVOT stripe.disputes ON status USING count(*)",
    "cte of a view": "SELECT (WITH duckdb_settings AS (SELECT 1) SELECT 1), * FROM duckdb_settings",
    "cte after its use": "WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a",
    "cte of itself": "WITH pg_class AS (SELECT * FROM pg_class) SELECT * FROM pg_class",
    "empty": "",
    "only a comment": "-- SELECT 1",
    "only semicolons": ";;",
}

NOT_ANALYSIS = {
    "position of a column": "SELECT #1 FROM stripe.disputes",
    "comma join": "SELECT 1 FROM stripe.disputes, stripe.charges",
    "cross join": "SELECT 1 FROM stripe.disputes CROSS JOIN stripe.charges",
    "natural join": "SELECT 1 FROM stripe.disputes NATURAL JOIN stripe.charges",
    "positional join": "SELECT 1 FROM stripe.disputes POSITIONAL JOIN stripe.charges",
    "asof join": "SELECT 1 FROM stripe.disputes a ASOF JOIN stripe.charges b ON a.created >= b.created",
    "join on true": "SELECT 1 FROM stripe.disputes a JOIN stripe.charges b ON true",
    "join on a constant": "SELECT 1 FROM stripe.disputes a JOIN stripe.charges b ON 1 = 1",
    "lateral": "SELECT 1 FROM stripe.disputes a, LATERAL (SELECT a.id) b",
    "unnest": "SELECT unnest([1, 2])",
    "unnest in from": "SELECT * FROM unnest([1, 2])",
    "recursion": "WITH RECURSIVE a AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM a) SELECT count(*) FROM a",
    "cube": "SELECT status FROM stripe.disputes GROUP BY CUBE (status, reason)",
    "rollup": "SELECT status FROM stripe.disputes GROUP BY ROLLUP (status)",
    "grouping sets": "SELECT status FROM stripe.disputes GROUP BY GROUPING SETS ((status), ())",
    "sample": "SELECT * FROM stripe.disputes TABLESAMPLE 10%",
    "pivot": "SELECT * FROM stripe.disputes PIVOT (count(*) FOR status IN ('won'))",
    "lambda": "SELECT list_transform([1], lambda x: x)",
    "list": "SELECT [1, 2][1]",
    "struct": "SELECT {'a': 1}",
    "comprehension": "SELECT [x FOR x IN [1, 2]]",
    "columns": "SELECT COLUMNS('a.*') FROM stripe.disputes",
    "cast to a list": "SELECT '1'::INT[]",
    "cast to a big array": "SELECT NULL::INT[100000]",
    "clock": "SELECT now()",
    "clock without brackets": "SELECT current_timestamp",
    "clock in age": "SELECT age(TIMESTAMP '2026-01-01')",
    "random": "SELECT random()",
    "uuid": "SELECT uuid()",
    "percent limit": "SELECT id FROM stripe.disputes LIMIT 10%",
    "time travel": "SELECT * FROM stripe.disputes AT (VERSION => 1)",
}

# Sent past the guard, these end by a limit only.
RUNAWAYS = {
    "cross join": "SELECT count(*) FROM posthog.events a, posthog.events b, posthog.events c, posthog.events d",
    "correlated subquery": (
        "SELECT count(*) FROM posthog.events a, posthog.events b WHERE a.id || b.id < "
        "(SELECT max(c.id || d.id) FROM posthog.events c, posthog.events d WHERE c.id || a.id <> d.id || b.id)"
    ),
    "distinct over a cross join": (
        "SELECT count(DISTINCT a.id || b.id || c.id) FROM posthog.events a, posthog.events b, posthog.events c"
    ),
    "group over a cross join": (
        "SELECT a.id, b.id, count(DISTINCT c.id || b.id) FROM posthog.events a, posthog.events b, posthog.events c "
        "GROUP BY ALL"
    ),
    "histogram": "SELECT histogram(a.id || b.id || c.id) FROM posthog.events a, posthog.events b, posthog.events c",
    "sort of a cross join": (
        "SELECT a.id FROM posthog.events a, posthog.events b, posthog.events c ORDER BY md5(a.id || b.id || c.id)"
    ),
    "repeat": "SELECT repeat('x', 2000000000)",
    "repeat over rows": "SELECT repeat(id, 100000000) FROM posthog.events",
    "length of repeats": "SELECT sum(length(repeat(id, 100000000))) FROM posthog.events",
    "unnest of a range": "SELECT count(*) FROM (SELECT unnest(range(1000000000)))",
    "range as a list": "SELECT length(range(500000000))",
    "lpad": "SELECT length(lpad('x', 1000000000, 'y'))",
    "format width": "SELECT format('{:>1000000000}', 'x')",
    "printf width": "SELECT printf('%1000000000d', 1)",
}


def _doubling(step: str, times: int = 30) -> str:
    ctes = "".join(f", a{i} AS ({step.format(previous=f'a{i - 1}')})" for i in range(1, times + 1))
    return f"WITH a0 AS (SELECT 'xxxxxxxxxxxxxxxx' AS s){ctes} SELECT count(*), max(length(s)) FROM a{times}"


# The guard cannot tell these from honest work.
PASSING_RUNAWAYS = {
    "joins on nearly nothing": (
        "SELECT count(*) FROM posthog.events a JOIN posthog.events b ON a.id <> b.event "
        "JOIN posthog.events c ON b.id <> c.event JOIN posthog.events d ON c.id <> d.event"
    ),
    "doubling text": _doubling("SELECT s || s AS s FROM {previous}"),
    "doubling rows": _doubling("SELECT s FROM {previous} UNION ALL SELECT s FROM {previous}"),
    "growing by replacement": (
        "WITH a AS (SELECT replace(replace('xxxxxxxxxx', 'x', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'), 'x', "
        "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx') AS s) SELECT length(replace(replace(s, 'x', s), 'x', s)) FROM a"
    ),
    "one long text": (
        "SELECT string_agg(a.id || b.id || c.id, ',') FROM posthog.events a JOIN posthog.events b ON a.id <> b.event "
        "JOIN posthog.events c ON b.id <> c.event"
    ),
}

HONEST = {
    "a filter": "SELECT id, amount FROM stripe.disputes WHERE id = 'dp_1'",
    "a join": "SELECT d.id FROM stripe.disputes d JOIN stripe.charges c ON c.id = d.charge",
    "joins of every side": (
        "SELECT d.id FROM stripe.disputes d LEFT JOIN stripe.charges c ON c.id = d.charge "
        "FULL JOIN stripe.refunds r ON r.charge = c.id RIGHT JOIN stripe.customers k ON k.id = c.customer"
    ),
    "join using": "SELECT id FROM stripe.disputes JOIN stripe.charges USING (id)",
    "semi and anti joins": (
        "SELECT d.id FROM stripe.disputes d SEMI JOIN stripe.charges c ON c.id = d.charge "
        "ANTI JOIN stripe.refunds r ON r.charge = d.charge"
    ),
    "ctes": "WITH a AS (SELECT id FROM stripe.disputes), b AS (SELECT * FROM a) SELECT b.id FROM b JOIN a USING (id)",
    "a cte named like a table": "WITH disputes AS (SELECT id FROM stripe.disputes) SELECT id FROM disputes",
    "window with qualify": (
        "SELECT id FROM stripe.disputes QUALIFY row_number() OVER (PARTITION BY status ORDER BY created DESC) = 1"
    ),
    "named window": "SELECT sum(amount) OVER w FROM stripe.disputes WINDOW w AS (PARTITION BY status)",
    "window functions": (
        "SELECT lag(id) OVER (ORDER BY id), lead(id, 1, 'x') OVER (ORDER BY id), first_value(id) OVER (ORDER BY id), "
        "ntile(3) OVER (ORDER BY id), dense_rank() OVER (ORDER BY id), "
        "sum(amount) OVER (ORDER BY created ROWS 3 PRECEDING) FROM stripe.disputes"
    ),
    "subqueries": (
        "SELECT id FROM stripe.disputes d WHERE amount > (SELECT avg(amount) FROM stripe.disputes) "
        "AND charge IN (SELECT id FROM stripe.charges) "
        "AND EXISTS (SELECT 1 FROM stripe.refunds r WHERE r.charge = d.id)"
    ),
    "from first": "FROM stripe.disputes SELECT id WHERE amount > 3",
    "only from": "FROM stripe.disputes",
    "set operations": (
        "SELECT id FROM stripe.disputes UNION ALL (SELECT id FROM stripe.charges EXCEPT SELECT id FROM stripe.refunds) "
        "INTERSECT SELECT id FROM stripe.customers ORDER BY id LIMIT 3"
    ),
    "brackets around it": "(SELECT id FROM stripe.disputes)",
    "a final semicolon and comments": "/* first */ SELECT id -- second\nFROM stripe.disputes; -- third",
    "casts": "SELECT amount::TEXT, CAST(created AS DECIMAL(18, 2)), TRY_CAST(id AS BIGINT) FROM stripe.disputes",
    "aggregates": (
        "SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE amount > 3), sum(amount), avg(amount), "
        "median(amount), mode(status), stddev(amount), quantile_cont(amount, 0.9), "
        "percentile_cont(0.5) WITHIN GROUP (ORDER BY amount), bool_and(amount > 0), arg_max(id, created), "
        "string_agg(id, ',' ORDER BY id), array_agg(id ORDER BY id), any_value(status), approx_count_distinct(id) "
        "FROM stripe.disputes"
    ),
    "grouping": "SELECT status, count(*) AS n FROM stripe.disputes GROUP BY ALL HAVING count(*) > 1 ORDER BY n DESC",
    "distinct on": "SELECT DISTINCT ON (status) id, status FROM stripe.disputes ORDER BY status, created",
    "star with exclusions": "SELECT d.* EXCLUDE (metadata) FROM stripe.disputes d",
    "star with replacements": "SELECT * REPLACE (amount + 1 AS amount) FROM stripe.disputes",
    "literal rows": "SELECT v.k FROM (VALUES (1, 'a'), (2, 'b')) AS v(k, name)",
    "conditions": (
        "SELECT CASE WHEN amount > 3 THEN 'a' ELSE 'b' END, coalesce(reason, 'x'), nullif(status, 'won'), "
        "if(amount > 3, 1, 0), greatest(amount, 1), amount BETWEEN 1 AND 3, status NOT IN ('won', 'lost'), "
        "reason IS NOT DISTINCT FROM status, status ILIKE '%O%', id ~ '^dp' FROM stripe.disputes"
    ),
    "text": (
        "SELECT lower(id), trim(id), length(id), substring(id FROM 2), left(id, 2), replace(id, 'd', 'e'), "
        "concat(id, '-', status), id || 'x', split_part(id, '_', 2), position('_' IN id), contains(id, 'd'), "
        "starts_with(id, 'dp'), regexp_matches(id, '[0-9]'), regexp_extract(id, '([0-9]+)', 1), "
        "regexp_replace(id, '[0-9]', ''), levenshtein(id, 'dp'), md5(id) FROM stripe.disputes"
    ),
    "times": (
        "SELECT date_trunc('day', timestamp), date_part('hour', timestamp), extract(epoch FROM timestamp), "
        "epoch(timestamp), timestamp::DATE, timestamp + INTERVAL '2 days', timestamp - INTERVAL 3 HOUR, "
        "date_diff('hour', timestamp, TIMESTAMPTZ '2026-05-01 00:00:00+00'), strftime(timestamp, '%Y-%m'), "
        "dayname(timestamp), year(timestamp), timestamp AT TIME ZONE 'Europe/Berlin', "
        "time_bucket(INTERVAL '1 hour', timestamp), age(timestamp, timestamp) FROM posthog.events"
    ),
    "epoch seconds": "SELECT to_timestamp(created) + INTERVAL '3 days' FROM stripe.disputes",
    "json": (
        "SELECT properties->>'service', properties->>'$.service', properties->'deep'->>'key', "
        "json_extract(properties, '$.service'), json_extract_string(properties, '$.service'), "
        "json_array_length(properties, '$.list'), json_contains(properties, '\"x\"'), json_keys(properties) "
        "FROM posthog.events WHERE properties->>'service' = 'reports'"
    ),
    "json by coral's names": (
        "SELECT json_get_str(properties, 'service'), json_get_int(properties, 'count'), json_get(properties, 'list'), "
        "from_unixtime(1700000000) FROM posthog.events"
    ),
    "columns with keyword names": "SELECT count, level FROM sentry.issues WHERE count > 1 ORDER BY level",
    "quoted names": 'SELECT "id" AS "the dispute" FROM "stripe"."disputes"',
    "upper case": "SELECT ID FROM STRIPE.DISPUTES",
    "no table": "SELECT 1 + 1 AS two",
    "numbers": "SELECT round(7 / 2.0, 1), 7 // 2, 7 % 2, abs(-1), floor(1.5), power(2, 3), sqrt(4), ln(2)",
    "an unknown table of the world": "SELECT id, n FROM custom.things",
}
