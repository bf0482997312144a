/** Below this width the console is a phone's (specification 1, section 9). */
export const phoneQuery = '(width < 600px)';
