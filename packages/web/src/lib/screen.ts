/** Below this width the console has its phone layout. */
export const phoneQuery = '(width < 600px)';
