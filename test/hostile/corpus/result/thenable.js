// A thenable that never calls back.
// ends: deadlock
return { then() {} };
