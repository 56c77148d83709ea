// Throws something that looks like a fault of the host.
// ends: script_error
const error = new Error("The disk is full.");
error.name = "Fault";
error.code = "storage_full";
error.owner = "operator";
throw error;
