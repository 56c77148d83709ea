// Comments that never end, comments of HTML, and a line separator in a comment.
// returns: "plain"
const text = "plain"; <!-- return "html";
return text; /* never closed? it is */ // }
