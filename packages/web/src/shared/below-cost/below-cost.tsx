import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { texts, type Translate, useTranslate } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';
import classes from './below-cost.module.css';
import { belowCostQuery } from './query.ts';

const belowCostText = texts({
  lead: { zh: '低于成本出售：', en: 'Sold below cost:' },
  inGroups: {
    zh: '（分组：{groups}，共 {count} 个）',
    en: { one: 'in the group {groups}', other: 'in {count} groups: {groups}' },
  },
  ofChannel: { zh: '以下模型低于成本出售：{models}', en: 'These models sell below cost: {models}' },
});

/** The first few of many names. */
const firstOf = (names: readonly string[]): string =>
  names.length > 6 ? `${names.slice(0, 6).join(', ')} … +${names.length - 6}` : names.join(', ');

/** A channel may have a profit in total, and a loss in one group. */
const inGroups = (t: Translate, groups: readonly string[]): string =>
  t(belowCostText.inGroups, { count: groups.length, groups: firstOf(groups) });

/** Models that sell below cost, one line per channel with a link; hidden without any. For root. */
export function BelowCost() {
  const t = useTranslate();
  const { data = [] } = useQuery(belowCostQuery);
  if (data.length === 0) return null;
  return (
    <Notice tone="warn">
      {t(belowCostText.lead)}{' '}
      <ul className={classes.list}>
        {data.map(({ channel, name, models, groups }) => (
          <li key={channel}>
            <Link to="/channel" search={{ edit: String(channel) }}>
              {name}
            </Link>{' '}
            ({firstOf(models)}) {inGroups(t, groups)}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** The same for one channel, beside its cost prices. */
export function BelowCostOf({ channel }: { channel: number }) {
  const t = useTranslate();
  const { data = [] } = useQuery(belowCostQuery);
  const found = data.find((each) => each.channel === channel);
  if (!found || found.models.length === 0) return null;
  return (
    <Notice tone="warn" role="status">
      {t(belowCostText.ofChannel, { models: firstOf(found.models) })} {inGroups(t, found.groups)}
    </Notice>
  );
}
