/** Below this width the console is a phone's. */
export const phoneQuery = '(width < 600px)';
