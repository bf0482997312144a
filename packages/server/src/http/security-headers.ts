/** Outside sources that the console may use, depending on what is switched on. */
export interface OutsideSources {
  /** Scripts: the human check, the Telegram log-in button. */
  scripts: readonly string[];
  /** Frames beside any https page, which are allowed anyway (chat links, home page). */
  frames: readonly string[];
}

/**
 * The policy of every page (ASVS 3.4.3): scripts from here alone, no inline script, no plug-ins, nobody may frame us.
 * Styles may be inline because the component library sets them on elements; that runs no code.
 * Frames and images may be any https page, since administrators link chats, logos and home pages of their own.
 */
function contentSecurityPolicy(outside: OutsideSources): string {
  return [
    `default-src 'self'`,
    `script-src ${["'self'", ...outside.scripts].join(' ')}`,
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data: blob: https:`,
    `media-src 'self' data: blob: https:`,
    `font-src 'self' data:`,
    `connect-src 'self'`,
    `frame-src ${["'self'", 'https:', ...outside.frames].join(' ')}`,
    `form-action 'self' https:`,
    `object-src 'none'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}

/** The headers of every answer that is not a relay's. HSTS only over https, where browsers heed it. */
export function securityHeaders(outside: OutsideSources, isHttps: boolean): Record<string, string> {
  return {
    'content-security-policy': contentSecurityPolicy(outside),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'x-frame-options': 'DENY',
    ...(isHttps && { 'strict-transport-security': 'max-age=31536000' }),
  };
}
