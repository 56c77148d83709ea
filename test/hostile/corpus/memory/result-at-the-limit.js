// A result as large as a result may be, in a memory that cannot hold it twice.
// ends: memory_limit | result_too_large
return "x".repeat(9_000_000);
