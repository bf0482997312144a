import { tokenStatus, type TokenData } from '@tollgate/contract';
import { useTranslate, type Text } from '../../lib/i18n.ts';
import { Dot, type DotTone } from '../../ui/dot.tsx';
import { Meter } from '../../ui/meter.tsx';
import { Time } from '../date-time/time.tsx';
import { GroupTag } from '../group-tag/group-tag.tsx';
import { Money } from '../money/money.tsx';
import { keyCellText as text } from './text.ts';

interface CellProps {
  token: TokenData;
}

/** The names of the states. */
const statuses: Record<number, { tone: DotTone; word: Text }> = {
  [tokenStatus.enabled]: { tone: 'good', word: text.enabled },
  [tokenStatus.disabled]: { tone: 'idle', word: text.disabled },
  [tokenStatus.expired]: { tone: 'warn', word: text.expired },
  [tokenStatus.exhausted]: { tone: 'bad', word: text.exhausted },
};

/** Whether a key may call. */
export function KeyStatus({ token }: CellProps) {
  const t = useTranslate();
  const { tone, word } = statuses[token.status] ?? { tone: 'idle', word: text.unknown };
  const isLimited = token.status === tokenStatus.enabled && token.model_limits_enabled;
  return <Dot tone={tone}>{t(isLimited ? text.enabledLimited : word)}</Dot>;
}

/** The remaining quota of a key, over a bar of it. */
export function KeyRemaining({ token }: CellProps) {
  const t = useTranslate();
  if (token.unlimited_quota) return t(text.unlimited);
  const whole = token.remain_quota + token.used_quota;
  return (
    <Meter share={whole > 0 ? token.remain_quota / whole : 0}>
      <Money quota={token.remain_quota} />
    </Meter>
  );
}

/** The group of a key; `own` is the label for a key without a group. */
export function KeyGroup({ token, own }: CellProps & { own: Text }) {
  const t = useTranslate();
  return token.group === '' ? <span className="muted">{t(own)}</span> : <GroupTag group={token.group} />;
}

/** How many models a key may call. */
export function KeyModels({ token }: CellProps) {
  const t = useTranslate();
  if (!token.model_limits_enabled) return t(text.anyModel);
  const names = token.model_limits.split(',').filter(Boolean);
  return <span title={names.join('\n')}>{t(text.modelCount, { count: names.length })}</span>;
}

/** Time of a key's last call. */
export function KeyLastUsed({ token }: CellProps) {
  const t = useTranslate();
  // A token's access time is set at its creation; before the first call both times are equal.
  return token.accessed_time <= token.created_time && token.used_quota === 0 ? (
    t(text.neverUsed)
  ) : (
    <Time at={token.accessed_time} relative />
  );
}

/** Expiry of a key. */
export function KeyExpiry({ token }: CellProps) {
  const t = useTranslate();
  return token.expired_time === -1 ? t(text.never) : <Time at={token.expired_time} />;
}
