import { integer, toggle } from './kinds.ts';

const aDay = 86_400;

/** Rate limits by address: console calls, pages, and calls that check passwords and codes. */
export const limitVariables = {
  apiLimit: toggle('GLOBAL_API_RATE_LIMIT_ENABLE', {
    fallback: true,
    meaning: 'Limit console calls by address.',
  }),
  apiLimitCount: integer('GLOBAL_API_RATE_LIMIT', {
    fallback: 360,
    min: 1,
    max: 1_000_000,
    meaning: 'Console calls of one address within the time below.',
  }),
  apiLimitSeconds: integer('GLOBAL_API_RATE_LIMIT_DURATION', {
    fallback: 180,
    min: 1,
    max: aDay,
    meaning: 'Seconds that limit counts over.',
  }),
  webLimit: toggle('GLOBAL_WEB_RATE_LIMIT_ENABLE', {
    fallback: true,
    meaning: 'Limit page loads by address; scripts and pictures do not count.',
  }),
  webLimitCount: integer('GLOBAL_WEB_RATE_LIMIT', {
    fallback: 120,
    min: 1,
    max: 1_000_000,
    meaning: 'Page loads of one address within the time below.',
  }),
  webLimitSeconds: integer('GLOBAL_WEB_RATE_LIMIT_DURATION', {
    fallback: 180,
    min: 1,
    max: aDay,
    meaning: 'Seconds that limit counts over.',
  }),
  criticalLimit: toggle('CRITICAL_RATE_LIMIT_ENABLE', {
    fallback: true,
    meaning: 'Limit signing in, signing up, codes and resets by address.',
  }),
  criticalLimitCount: integer('CRITICAL_RATE_LIMIT', {
    fallback: 20,
    min: 1,
    max: 1_000_000,
    meaning: 'Such calls of one address within the time below.',
  }),
  criticalLimitSeconds: integer('CRITICAL_RATE_LIMIT_DURATION', {
    fallback: 1200,
    min: 1,
    max: aDay,
    meaning: 'Seconds that limit counts over.',
  }),
} as const;
