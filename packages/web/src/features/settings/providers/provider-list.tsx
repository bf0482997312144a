import { ActionIcon, Button, Skeleton, Switch } from '@mantine/core';
import type { SignInProviderData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useDemo } from '../../../lib/api/status.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { lazy } from '../../../lib/lazy.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { toastWhenDone } from '../../../shared/feedback/toast.ts';
import { LazyMount } from '../../../shared/lazy/lazy-mount.tsx';
import { LoadError } from '../../../shared/state/load-error.tsx';
import { useLastShown } from '../../../shared/url-state/use-edited.ts';
import { SiteMark } from '../../../ui/site-mark.tsx';
import classes from './providers.module.css';
import { providersQuery, useRemoveProvider, useUpdateProvider } from './queries.ts';
import { providerText as text } from './text.ts';

const ProviderDrawer = lazy(async () => ({
  default: (await import('./provider-drawer.tsx')).ProviderDrawer,
}));

/** The OpenID providers that root added, and a button to add one. */
export function ProviderList() {
  const t = useTranslate();
  const { data, error, refetch } = useQuery(providersQuery);
  /** The slug of the provider in the drawer, '' for a new one; null while it is closed. */
  const [edited, setEdited] = useState<string | null>(null);
  const shown = useLastShown(
    edited !== null,
    data?.find(({ slug }) => slug === edited),
  );
  if (error && data === undefined) return <LoadError error={error} onRetry={refetch} />;
  if (data === undefined) return <Skeleton height={80} />;
  return (
    <div className={classes.providers}>
      <div>
        <h3 className={classes.title}>{t(text.title)}</h3>
        <p className={classes.hint}>{t(text.hint)}</p>
      </div>
      {data.length === 0 ? (
        <p className={classes.hint}>{t(text.none)}</p>
      ) : (
        <ul className={classes.list}>
          {data.map((provider) => (
            <ProviderRow key={provider.slug} provider={provider} onEdit={() => setEdited(provider.slug)} />
          ))}
        </ul>
      )}
      <Button
        variant="default"
        className={classes.add}
        leftSection={<Plus size={16} />}
        onClick={() => setEdited('')}
      >
        {t(text.add)}
      </Button>
      <LazyMount when={edited !== null}>
        <ProviderDrawer
          opened={edited !== null}
          provider={shown}
          count={data.length}
          onClose={() => setEdited(null)}
        />
      </LazyMount>
    </div>
  );
}

interface ProviderRowProps {
  provider: SignInProviderData;
  onEdit: () => void;
}

function ProviderRow({ provider, onEdit }: ProviderRowProps) {
  const t = useTranslate();
  const { slug, name, logo, issuer, enabled, bindings } = provider;
  const isDemo = useDemo();
  const update = useUpdateProvider(false);
  const remove = useRemoval(provider);
  return (
    <li className={classes.row}>
      <SiteMark id={slug} logo={logo} size={22} />
      <div className={classes.main}>
        <div className={classes.name}>
          {name} <code>{slug}</code>
        </div>
        <p className={classes.hint}>
          {issuer} · {t(text.bindings, { count: bindings })}
        </p>
      </div>
      <div className={classes.actions}>
        <Switch
          aria-label={t(text.switchOn, { name })}
          checked={enabled}
          disabled={update.isPending || isDemo}
          onChange={() => update.mutate({ slug, enabled: !enabled })}
        />
        <ActionIcon aria-label={t(text.edit, { name })} onClick={onEdit}>
          <Pencil size={15} />
        </ActionIcon>
        <ActionIcon aria-label={t(text.remove, { name })} onClick={() => void remove()}>
          <Trash2 size={15} />
        </ActionIcon>
      </div>
    </li>
  );
}

/** Explains the effect on bound accounts, and deletes after a confirmation. */
function useRemoval({ slug, name, bindings, only_way: onlyWay }: SignInProviderData) {
  const t = useTranslate();
  const confirm = useConfirm();
  const remove = useRemoveProvider();
  return async () => {
    const agreed = await confirm({
      title: t(text.removeTitle, { name }),
      body: (
        <>
          {t(bindings === 0 ? text.removeUnused : text.removeBound, { count: bindings })}
          {onlyWay > 0 && <p>{t(text.removeOnlyWay, { count: onlyWay })}</p>}
        </>
      ),
      action: t(text.removeAction),
      danger: true,
      ...(bindings > 0 && { typeToConfirm: slug }),
    });
    if (agreed) await toastWhenDone(remove.mutateAsync({ slug, bindings }), t(text.removed));
  };
}
