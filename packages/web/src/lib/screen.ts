/** Below this width the console is a phone's. */
export const phoneQuery = '(width < 600px)';

/** Tables have room for their main columns only; a phone's cards have room for all. */
export const narrowTableQuery = '(600px <= width < 1200px)';
