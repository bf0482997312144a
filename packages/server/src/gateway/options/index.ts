export { disableOnFailure } from './disable-channel.ts';
export { identityHeaders } from './identity-headers.ts';
export { relayOptions } from './relay-options.ts';
export { billingStatus, pingEveryMs, showQuota, siteLanguage } from './site.ts';
export { upstreamTimeouts } from './timeouts.ts';
