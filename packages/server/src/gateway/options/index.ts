export { disableOnFailure } from './disable-channel.ts';
export {
  billingStatus,
  identityHeaders,
  pingEveryMs,
  relayOptions,
  showQuota,
  siteLanguage,
  upstreamTimeouts,
} from './options.ts';
