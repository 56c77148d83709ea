// The same in the error that ends the run.
// ends: script_error
const evil = "\u001b[2J\u001b]0;owned\u0007\u202eevil\r\n\ndata: forged\n\n";
const error = new Error(evil);
error.name = evil;
throw error;
