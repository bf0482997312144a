import { Popover, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { formatNumber } from '../../../lib/format/number-format.ts';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { Money } from '../../../shared/money/money.tsx';
import { DescriptionList } from '../../../ui/description-list.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import { userQuery } from '../base/queries.ts';
import { text } from '../base/text.ts';

interface UserLinkProps {
  id: number;
  name: string;
}

/** A user's name; a click shows the account's balance and spending. */
export function UserLink({ id, name }: UserLinkProps) {
  const [mounted, setMounted] = useState(false);
  const [opened, setOpened] = useState(false);
  const open = () => {
    // As with menus (`LazyMenu`): a list has one in each row, and most are never opened.
    flushSync(() => setMounted(true));
    setOpened(true);
  };
  if (!mounted)
    return (
      <TextButton aria-haspopup="dialog" aria-expanded={false} onClick={open}>
        {name}
      </TextButton>
    );
  return (
    <Popover
      position="bottom-start"
      shadow="md"
      width={240}
      withinPortal
      opened={opened}
      onChange={setOpened}
    >
      <Popover.Target>
        <TextButton autoFocus onClick={() => setOpened(!opened)}>
          {name}
        </TextButton>
      </Popover.Target>
      <Popover.Dropdown>
        <UserCard id={id} />
      </Popover.Dropdown>
    </Popover>
  );
}

function UserCard({ id }: { id: number }) {
  const t = useTranslate();
  const language = useLanguage();
  const { data, error } = useQuery(userQuery(id));
  if (error) return errorMessage(error, language);
  if (!data) return <Skeleton height={90} />;
  return (
    <DescriptionList
      rows={[
        [t(text.user), `${data.username} #${data.id}`],
        [t(text.group), data.group],
        [t(text.balance), <Money key="balance" quota={data.quota} />],
        [t(text.used), <Money key="used" quota={data.used_quota} />],
        [t(text.requests), formatNumber(data.request_count, language)],
      ]}
    />
  );
}
