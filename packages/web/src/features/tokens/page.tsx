import { Button, Stack } from '@mantine/core';
import type { TokenData } from '@tollgate/contract';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { Hint } from '../../shared/feedback/hint.tsx';
import { toast } from '../../shared/feedback/toast.ts';
import { LazyMount } from '../../shared/lazy/lazy-mount.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { AccountFigures } from './account-figures.tsx';
import { tokenSearch } from './search.ts';
import { text } from './text.ts';
import { TokenList, useTokenList } from './token-list.tsx';

const TokenDrawer = lazy(async () => ({ default: (await import('./token-drawer.tsx')).TokenDrawer }));
const UseDrawer = lazy(async () => ({ default: (await import('./own-use-drawer.tsx')).OwnUseDrawer }));
const CreatedDialog = lazy(async () => ({
  default: (await import('../../shared/keys/created-dialog.tsx')).CreatedDialog,
}));

export function Page() {
  const t = useTranslate();
  const [, setSearch] = useUrlState(tokenSearch);
  const add = (
    <Button leftSection={<Plus size={16} />} onClick={() => setSearch({ edit: 'new' })}>
      {t(text.add)}
    </Button>
  );
  return (
    <>
      <PageHead title={t(text.title)} hint={t(text.hint)} actions={add} />
      <Stack gap={14}>
        <Hint name="tokens" tone="warn">
          {t(text.advice)}
        </Hint>
        <AccountFigures />
        <TokenList add={add} />
      </Stack>
      <Drawers />
    </>
  );
}

/** What opens over the list: the form, how to use a token, and the keys of several that were just made. */
function Drawers() {
  const t = useTranslate();
  const [{ edit, use }, setSearch] = useUrlState(tokenSearch);
  const { tokens } = useTokenList();
  const [created, setCreated] = useState<readonly TokenData[]>([]);
  const onCreated = (made: TokenData[]) => {
    const [only] = made;
    setCreated(made);
    setSearch({ edit: '', use: made.length === 1 && only ? only.id : 0 });
  };
  return (
    <>
      <LazyMount when={edit !== ''}>
        <TokenDrawer
          opened={edit !== ''}
          token={tokens.data?.find((token) => String(token.id) === edit)}
          onClose={() => setSearch({ edit: '' })}
          onCreated={onCreated}
          onSaved={() => {
            setSearch({ edit: '' });
            toast.good(t(text.saved));
          }}
        />
      </LazyMount>
      <LazyMount when={use > 0}>
        <UseDrawer
          tokenId={use}
          isNew={created.some((token) => token.id === use)}
          onClose={() => setSearch({ use: 0 })}
        />
      </LazyMount>
      <LazyMount when={created.length > 1}>
        <CreatedDialog tokens={created.length > 1 ? created : []} onClose={() => setCreated([])} />
      </LazyMount>
    </>
  );
}
