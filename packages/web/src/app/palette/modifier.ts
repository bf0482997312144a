/** The name of the key beside K on this machine. */
export const modifier = /Mac|iP(?:hone|ad|od)/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
