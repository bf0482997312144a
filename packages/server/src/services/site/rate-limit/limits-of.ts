import type { Settings } from '../settings/index.ts';
import type { ModelLimits } from './model-limiter.ts';

/**
 * The limits of a group where limits are on: its own entry, else the site's
 * (docs/compatibility.md#model-request-limits).
 */
export function modelLimitsOf(settings: Settings, group: string): ModelLimits | null {
  const windowMinutes = settings.get('ModelRequestRateLimitDurationMinutes');
  if (!settings.get('ModelRequestRateLimitEnabled') || windowMinutes <= 0) return null;
  const own = settings.get('ModelRequestRateLimitGroup');
  const [total, success] = Object.hasOwn(own, group)
    ? own[group]!
    : [settings.get('ModelRequestRateLimitCount'), settings.get('ModelRequestRateLimitSuccessCount')];
  return { total, success, windowMinutes };
}
