import { Button, Group, Stack } from '@mantine/core';
import { type ManagedUserData, role } from '@tollgate/contract';
import { Link } from '@tanstack/react-router';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { formatNumber } from '../../../lib/format/number-format.ts';
import { useCurrentUser } from '../../../lib/session.ts';
import { CreditEnds } from '../../../shared/credit-ends/credit-ends.tsx';
import { Time } from '../../../shared/date-time/time.tsx';
import { Money } from '../../../shared/money/money.tsx';
import { Spent } from '../../../shared/money/spent.tsx';
import { RoleTag } from '../../../shared/role-tag.tsx';
import { DescriptionList } from '../../../ui/description-list.tsx';
import { Figure, Figures } from '../../../ui/figure.tsx';
import { Status } from '../base/status.tsx';
import { formText } from './form-text.ts';
import { text } from '../base/text.ts';
import { useFund } from '../fund/use-fund.tsx';

/** Identity, balance and spending of a user, with links. */
export function UserFacts({ user }: { user: ManagedUserData }) {
  const t = useTranslate();
  const fund = useFund();
  const isRoot = (useCurrentUser()?.role ?? 0) >= role.root;
  const language = useLanguage();
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <RoleTag role={user.role} />
        <Status user={user} />
      </Group>
      <Figures>
        <Figure
          label={t(text.balance)}
          value={<Money quota={user.quota} />}
          note={isRoot && <CreditEnds owner={{ user: user.id }} balance={user.quota} />}
        />
        <Spent label={t(text.used)} user={user} />
        <Figure label={t(text.requests)} value={formatNumber(user.request_count, language)} />
      </Figures>
      <Group gap="xs">
        <Button variant="default" size="xs" onClick={() => fund(user)}>
          {t(text.fund)}
        </Button>
        <Button
          variant="default"
          size="xs"
          renderRoot={(props) => (
            <Link to="/log" search={{ username: user.username, range: '30d' }} {...props} />
          )}
        >
          {t(text.logs)}
        </Button>
      </Group>
      <DescriptionList
        rows={[
          [t(text.id), user.id],
          [t(formText.joined), <Time key="joined" at={user.created_time} />],
          [t(formText.invitedBy), user.inviter_id > 0 ? `#${user.inviter_id}` : t(formText.nobody)],
          [t(formText.invited), user.aff_count],
        ]}
      />
    </Stack>
  );
}

const bindingNames = [
  ['GitHub', 'github_id'],
  ['OIDC', 'oidc_id'],
  ['LinuxDO', 'linux_do_id'],
  ['WeChat', 'wechat_id'],
  ['Telegram', 'telegram_id'],
] as const;

/** Sign-in methods of the user besides a password, read-only. */
export function Bindings({ user }: { user: ManagedUserData }) {
  const t = useTranslate();
  const others = bindingNames.map(([name, field]) => [name, user[field]] as const);
  const bound = [[t(text.email), user.email] as const, ...others].filter(([, value]) => value !== '');
  return bound.length > 0 ? <DescriptionList rows={bound} /> : <span>{t(formText.noBindings)}</span>;
}
