export { disableOnFailure } from './disable-channel.ts';
export {
  billingStatus,
  fallbacksIn,
  identityHeaders,
  pingEveryMs,
  relayOptions,
  showQuota,
  siteLanguage,
  upstreamTimeouts,
} from './options.ts';
