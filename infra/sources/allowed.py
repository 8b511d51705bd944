"""What a query may be made of: the guard refuses every construct and function that is not listed here."""

from __future__ import annotations

from sqlglot import exp

STRUCTURE: frozenset[type[exp.Expr]] = frozenset(
    {
        # the query
        exp.Select, exp.Union, exp.Intersect, exp.Except, exp.Subquery, exp.With, exp.CTE, exp.From, exp.Join,
        exp.Where, exp.Group, exp.Having, exp.Qualify, exp.Order, exp.Ordered, exp.Limit, exp.Offset,
        exp.Distinct, exp.Values, exp.Table, exp.TableAlias,
        # names and values
        exp.Star, exp.Column, exp.Identifier, exp.Alias, exp.Literal, exp.RawString, exp.Boolean, exp.Null, exp.Paren,
        exp.Tuple, exp.Var, exp.Interval, exp.DataType, exp.DataTypeParam,
        # conditions
        exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ,
        exp.Between, exp.In, exp.Is, exp.Like, exp.ILike, exp.Escape, exp.SimilarTo, exp.RegexpLike, exp.RegexpILike,
        exp.Exists, exp.Any, exp.All, exp.Case, exp.If,
        # arithmetic
        exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.Pow, exp.DPipe, exp.AtTimeZone,
        exp.Cast, exp.TryCast, exp.Extract,
        # windows and aggregates
        exp.Window, exp.WindowSpec, exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls,
        # paths into JSON
        exp.JSONExtract, exp.JSONExtractScalar, exp.JSONPath, exp.JSONPathRoot, exp.JSONPathKey,
        exp.JSONPathSubscript, exp.JSONPathWildcard,
    }
)  # fmt: skip

FUNCTIONS: frozenset[type[exp.Expr]] = frozenset(
    {
        # aggregates
        exp.Count, exp.CountIf, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Median, exp.Mode, exp.Stddev, exp.StddevPop,
        exp.StddevSamp, exp.Variance, exp.VariancePop, exp.PercentileCont, exp.PercentileDisc, exp.ApproxDistinct,
        exp.ApproxQuantile, exp.GroupConcat, exp.ArrayAgg, exp.LogicalAnd, exp.LogicalOr, exp.ArgMin, exp.ArgMax,
        exp.First, exp.Last, exp.AnyValue, exp.Corr, exp.CovarPop, exp.CovarSamp,
        # windows
        exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile, exp.Lag, exp.Lead,
        exp.FirstValue, exp.LastValue, exp.NthValue,
        # text
        exp.Lower, exp.Upper, exp.Trim, exp.Length, exp.Substring, exp.Left, exp.Right, exp.Replace, exp.Concat,
        exp.ConcatWs, exp.SplitPart, exp.StrPosition, exp.Contains, exp.StartsWith, exp.EndsWith, exp.RegexpFullMatch,
        exp.RegexpExtract, exp.RegexpReplace, exp.Reverse, exp.Levenshtein, exp.JarowinklerSimilarity, exp.MD5,
        exp.Ascii, exp.Chr, exp.Translate,
        # time
        exp.TimestampTrunc, exp.DateTrunc, exp.DateDiff, exp.DateAdd, exp.DateBin, exp.DateFromParts, exp.TimeToStr,
        exp.StrToTime, exp.TimeToUnix, exp.UnixToTime, exp.Year, exp.Month, exp.Day, exp.Hour, exp.Minute, exp.Second,
        exp.Quarter, exp.Week, exp.DayOfWeek, exp.DayOfWeekIso, exp.DayOfYear, exp.Dayname, exp.Monthname, exp.LastDay,
        exp.ToDays,
        # numbers
        exp.Abs, exp.Round, exp.Floor, exp.Ceil, exp.Sign, exp.Sqrt, exp.Ln, exp.Log, exp.Exp, exp.Trunc, exp.IsNan,
        exp.Greatest, exp.Least,
        # anything
        exp.Coalesce, exp.Nullif, exp.Typeof, exp.JSONType, exp.JSONKeys,
    }
)  # fmt: skip

NAMED_FUNCTIONS = frozenset(
    {
        # what the parser has no class for
        "mean", "prefix", "suffix", "strip_accents", "date_part", "datepart", "date_sub", "age", "try_strptime",
        "to_seconds", "to_minutes", "to_hours", "epoch_us", "json_value", "json_valid", "json_array_length",
        "json_contains", "json_exists",
        # Coral's names, which the database file defines
        "json_get", "json_get_json", "json_get_str", "json_as_text", "json_get_int", "json_get_float", "json_get_bool",
        "json_length", "from_unixtime",
    }
)  # fmt: skip

TYPES = frozenset(
    {
        exp.DataType.Type.TEXT, exp.DataType.Type.VARCHAR, exp.DataType.Type.CHAR, exp.DataType.Type.BOOLEAN,
        exp.DataType.Type.TINYINT, exp.DataType.Type.SMALLINT, exp.DataType.Type.INT, exp.DataType.Type.BIGINT,
        exp.DataType.Type.UTINYINT, exp.DataType.Type.USMALLINT, exp.DataType.Type.UINT, exp.DataType.Type.UBIGINT,
        exp.DataType.Type.INT128, exp.DataType.Type.FLOAT, exp.DataType.Type.DOUBLE, exp.DataType.Type.DECIMAL,
        exp.DataType.Type.DATE, exp.DataType.Type.TIME, exp.DataType.Type.TIMESTAMP, exp.DataType.Type.TIMESTAMPTZ,
        exp.DataType.Type.TIMESTAMPNTZ, exp.DataType.Type.DATETIME, exp.DataType.Type.JSON, exp.DataType.Type.INTERVAL,
    }
)  # fmt: skip

_CLOCK = "the engine's clock is not the case's clock: write the instant, like TIMESTAMPTZ '2026-01-31 12:00:00+00'"
_RANDOM = "the same query must give the same answer"
_SERIES = "JSON arrays are read with json_extract and json_array_length"
_AMPLIFIER = "it can grow without bound"

INSTEAD: dict[str, str] = {
    "now": _CLOCK,
    "current_timestamp": _CLOCK,
    "current_date": _CLOCK,
    "current_time": _CLOCK,
    "localtimestamp": _CLOCK,
    "get_current_timestamp": _CLOCK,
    "rand": _RANDOM,
    "uuid": _RANDOM,
    "gen_random_uuid": _RANDOM,
    "explode": _SERIES,
    "unnest": _SERIES,
    "generate_series": _AMPLIFIER,
    "range": _AMPLIFIER,
    "repeat": _AMPLIFIER,
    "pad": _AMPLIFIER,
    "lpad": _AMPLIFIER,
    "rpad": _AMPLIFIER,
    "format": "use concat or ||",
    "printf": "use concat or ||",
    "to_char": "use strftime",
}
"""Refused functions, by the parser's name for them, that an honest query may ask for, and what to write instead."""

CONSTRUCTS: dict[type[exp.Expr], str] = {
    exp.Placeholder: "there are no parameters: write the value as a literal",
    exp.Parameter: "there are no parameters: write the value as a literal",
    exp.SessionParameter: "there are no settings to read",
    exp.PositionalColumn: "name the column instead of its position",
    exp.Lateral: "LATERAL is not allowed: use a correlated subquery or a CTE",
    exp.Unnest: f"UNNEST is not allowed: {_SERIES}",
    exp.Pivot: "PIVOT is not allowed: use count or sum with FILTER (WHERE ...)",
    exp.TableSample: f"TABLESAMPLE is not allowed: {_RANDOM}",
    exp.Into: "SELECT INTO is not allowed: queries only read",
    exp.Lock: "FOR UPDATE is not allowed: queries only read",
    exp.Cube: "CUBE is not allowed: write one GROUP BY per level",
    exp.Rollup: "ROLLUP is not allowed: write one GROUP BY per level",
    exp.GroupingSets: "GROUPING SETS is not allowed: write one GROUP BY per level",
    exp.Lambda: "lambdas are not allowed",
    exp.Columns: "COLUMNS is not allowed: name the columns",
    exp.Array: f"lists are not allowed: {_SERIES}",
    exp.Struct: "structs are not allowed",
    exp.Bracket: f"brackets are not allowed: {_SERIES}",
    exp.LimitOptions: "write LIMIT n",
    exp.Fetch: "write LIMIT n",
    exp.Dot: "a column is named by at most its table and itself",
}
"""Refused constructs that an honest query may use, and what to write instead."""
