import type { Settings } from '../services/site/settings/index.ts';

/** Outside sources that the console may use, depending on the settings. */
export interface OutsideSources {
  /** Scripts: the human check, the Telegram log-in button. */
  scripts: readonly string[];
  /** Frames besides https pages, which are allowed anyway (chat links, home page). */
  frames: readonly string[];
}

/**
 * The content security policy of every page (ASVS 3.4.3): scripts from this site only, no inline scripts, no
 * plug-ins, no embedding by other sites. Inline styles are allowed because the component library sets them on
 * elements; they run no code. Frames and images may be any https page, since administrators link chats, logos and
 * home pages.
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

/** The headers of all answers except the relay's. HSTS only over https, because browsers ignore it otherwise. */
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

const none: OutsideSources = { scripts: [], frames: [] };

/** The outside script that an option enables: only the human check. */
export function outsideSources(settings: Pick<Settings, 'get'>, humanCheckUrl: string): OutsideSources {
  const scripts: string[] = [];
  if (settings.get('TurnstileCheckEnabled')) scripts.push(humanCheckUrl);
  return scripts.length === 0 ? none : { scripts, frames: [] };
}
