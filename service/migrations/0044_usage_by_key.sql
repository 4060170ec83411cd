-- The list of keys reads the usage of each key that it shows, by the primary key. Each count of usage paid for this index.
drop index key_usage_by_day;
