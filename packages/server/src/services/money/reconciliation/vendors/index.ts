import type { FetchedSource } from '@tollgate/contract';
import { anthropic } from './anthropic.ts';
import { openai } from './openai.ts';
import { openrouter } from './openrouter.ts';
import type { UsageVendor } from './types.ts';

export { picoDollars, quotaOfPico } from './dollars.ts';
export { malformed, UsageFault } from './fault.ts';
export type { Ask, Span, UsageVendor, VendorLine } from './types.ts';

/** Usage readers by vendor. */
export const usageVendors: Readonly<Record<FetchedSource, UsageVendor>> = { openai, anthropic, openrouter };
