/**
 * Replaces a stored secret in answers. A client that sends it back keeps the stored secret, if its destination is
 * unchanged.
 */
export const secretMask = '••••';
