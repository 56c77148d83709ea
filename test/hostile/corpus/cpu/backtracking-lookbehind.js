// Nested alternatives with a look-behind at the end of each: as many ways as there are letters to the power of two.
// ends: turn_timeout
return /^(?:(?:a|aa)(?<=a))*(?<=b)$/.test("a".repeat(60));
