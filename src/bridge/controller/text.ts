// The tag of guest source: the text between the backticks as it stands, backslashes included.

export const guestText = String.raw;
