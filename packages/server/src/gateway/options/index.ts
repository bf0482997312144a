export { disableOnFailure } from './disable-channel.ts';
export {
  billingStatus,
  fallbacksIn,
  identityHeaders,
  pingEveryMs,
  relayOptions,
  showQuota,
  upstreamTimeouts,
} from './options.ts';
