import { teamRole, teamStatus, type TeamMemberData } from '@tollgate/contract';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import { formatMoney } from '../../../lib/format/number-format.ts';
import { useTranslate, type Text } from '../../../lib/i18n.ts';
import { Money } from '../../../shared/money/money.tsx';
import { Dot } from '../../../ui/dot.tsx';
import { Meter } from '../../../ui/meter.tsx';
import { Tag, type Tone } from '../../../ui/tag.tsx';
import { text } from './text.ts';

const member: { tone: Tone; word: Text } = { tone: 'neutral', word: text.member };
const roles: Record<number, typeof member> = {
  [teamRole.owner]: { tone: 'accent', word: text.owner },
  [teamRole.manager]: { tone: 'info', word: text.manager },
};

/** Label of a role in an organisation. */
export const teamRoleLabel = (role: number): Text => (roles[role] ?? member).word;

/** A role in an organisation as a badge. */
export function TeamRoleTag({ role }: { role: number }) {
  const t = useTranslate();
  const { tone, word } = roles[role] ?? member;
  return <Tag tone={tone}>{t(word)}</Tag>;
}

/** Status of an organisation: whether its keys may call. */
export function TeamStatus({ status }: { status: number }) {
  const t = useTranslate();
  return status === teamStatus.enabled ? (
    <Dot tone="good">{t(text.active)}</Dot>
  ) : (
    <Dot tone="bad">{t(text.banned)}</Dot>
  );
}

type Limited = Pick<TeamMemberData, 'limit_period' | 'limit_quota'>;

/** A member's limit as text: $5.00 a month. */
export function useLimitText(): (limit: Limited) => string {
  const t = useTranslate();
  const display = useQuotaDisplay();
  return ({ limit_period: period, limit_quota: quota }) => {
    if (period === '') return t(text.noLimit);
    const money = formatMoney(quota, display);
    return t(period === 'month' ? text.ofMonth : text.ofTotal, { money });
  };
}

/** The remainder of a member's limit, over a bar of it; empty without a limit. */
export function LimitLeft({ limit }: { limit: Limited & Pick<TeamMemberData, 'limit_left'> }) {
  const { limit_left: left, limit_quota: quota } = limit;
  if (left === null) return null;
  return (
    <Meter share={quota > 0 ? left / quota : 0}>
      <Money quota={left} />
    </Meter>
  );
}
