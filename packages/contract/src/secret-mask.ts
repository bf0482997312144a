/**
 * Replaces a stored secret in answers. Sent back, it keeps the stored secret, as long as its destination stays the
 * same.
 */
export const secretMask = '••••';
