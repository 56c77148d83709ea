// Few enough characters and too many bytes.
// ends: result_too_large | memory_limit
return "€".repeat(4_000_000);
