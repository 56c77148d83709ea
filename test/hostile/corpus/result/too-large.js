// Eleven megabytes of result.
// ends: result_too_large | memory_limit
return "x".repeat(11_000_000);
