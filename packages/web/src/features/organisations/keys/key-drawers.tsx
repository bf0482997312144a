import type { TeamData, TeamTokenData } from '@tollgate/contract';
import { useState } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { lazy } from '../../../lib/lazy.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import { LazyMount } from '../../../shared/lazy/lazy-mount.tsx';
import { useLastShown } from '../../../shared/url-state/use-edited.ts';
import { useUrlState } from '../../../shared/url-state/use-url-state.ts';
import { teamActions } from '../base/permissions.ts';
import { teamSearch } from '../base/search.ts';
import { keysText as text } from './text.ts';

const TeamKeyDrawer = lazy(async () => ({ default: (await import('./drawer-bodies.tsx')).TeamKeyDrawer }));
const TeamUseDrawer = lazy(async () => ({ default: (await import('./drawer-bodies.tsx')).TeamUseDrawer }));
const CreatedDialog = lazy(async () => ({
  default: (await import('../../../shared/keys/created-dialog.tsx')).CreatedDialog,
}));

interface KeyDrawersProps {
  team: TeamData;
  /** The visible keys, one of which may be edited. */
  keys: readonly TeamTokenData[];
}

/** Drawers over the list: the form, the usage help, and the keys of several that were just created. */
export function KeyDrawers({ team, keys }: KeyDrawersProps) {
  const t = useTranslate();
  const [{ edit, use }, setSearch] = useUrlState(teamSearch);
  const [created, setCreated] = useState<readonly TeamTokenData[]>([]);
  const edited = keys.find((token) => String(token.id) === edit);
  const isOpen = teamActions(team).has('makeKeys') && (edit === 'new' || edited !== undefined);
  const shown = useLastShown(isOpen, edited);
  const onCreated = (made: readonly TeamTokenData[]) => {
    const [only] = made;
    setCreated(made);
    setSearch({ edit: '', use: made.length === 1 && only ? only.id : 0 });
  };
  return (
    <>
      <LazyMount when={isOpen}>
        <TeamKeyDrawer
          opened={isOpen}
          teamId={team.id}
          token={shown}
          onClose={() => setSearch({ edit: '' })}
          onCreated={onCreated}
          onSaved={() => {
            setSearch({ edit: '' });
            toast.good(t(text.saved));
          }}
        />
      </LazyMount>
      <LazyMount when={use > 0}>
        <TeamUseDrawer
          teamId={team.id}
          tokenId={use}
          made={created.find((token) => token.id === use)}
          onClose={() => setSearch({ use: 0 })}
        />
      </LazyMount>
      <LazyMount when={created.length > 1}>
        <CreatedDialog tokens={created.length > 1 ? created : []} onClose={() => setCreated([])} />
      </LazyMount>
    </>
  );
}
