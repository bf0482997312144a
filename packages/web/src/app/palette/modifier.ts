/** The name of the modifier key on this machine. */
export const modifier = /Mac|iP(?:hone|ad|od)/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
