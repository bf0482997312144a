import { limitPeriods, type LimitPeriod, type TeamMemberData } from '@tollgate/contract';

export interface MemberForm extends Record<string, unknown> {
  /** As text, because choices are. */
  role: string;
  period: LimitPeriod;
  /** Quota units; '' for none yet. */
  quota: number | string;
}

/** A limit to begin with, in quota units: $10. */
const firstLimit = 5_000_000;

export const isPeriod = (value: string): value is LimitPeriod =>
  limitPeriods.some((period) => period === value);

export const formOf = ({ role, limit_period, limit_quota }: TeamMemberData): MemberForm => ({
  role: String(role),
  period: limit_period,
  quota: limit_period === '' ? firstLimit : limit_quota,
});

/** Whether an amount can be a limit; zero blocks a member without removing them. */
export const isLimit = (quota: number | string): boolean =>
  quota !== '' && Number.isInteger(Number(quota)) && Number(quota) >= 0;

/** What differs from the member as they are: only that is sent. */
export function changesOf(form: MemberForm, before: TeamMemberData) {
  const quota = form.period === '' ? 0 : Number(form.quota);
  const isNewLimit =
    form.period !== before.limit_period || (form.period !== '' && quota !== before.limit_quota);
  return {
    ...(Number(form.role) !== before.role && { role: Number(form.role) }),
    ...(isNewLimit && { limit: { period: form.period, quota } }),
  };
}
