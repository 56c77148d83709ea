// A short program that parses a long list of small objects.
// ends: memory_limit | turn_timeout
return JSON.parse(`[${'{"a":[{}]},'.repeat(400_000)}0]`).length;
