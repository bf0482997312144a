import { Button, Group } from '@mantine/core';
import { channelApi } from '@tollgate/contract';
import { useState } from 'react';
import { call } from '../../../lib/api/api-client.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { lazy } from '../../../lib/lazy.ts';
import { useConfirm } from '../../../shared/confirm/use-confirm.tsx';
import { LazyMount } from '../../../shared/lazy/lazy-mount.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { BatchRun } from './batch-run.tsx';
import { useChannelMutation } from '../base/queries.ts';
import { batchText as text } from '../base/text.ts';

const TagDialog = lazy(async () => ({ default: (await import('./tag-dialog.tsx')).TagDialog }));

interface BatchBarProps {
  ids: ReadonlySet<string>;
  onDone: () => void;
}

/** Actions on the ticked channels. They replace the filters while any channel is ticked. */
export function BatchBar({ ids, onDone }: BatchBarProps) {
  const t = useTranslate();
  const confirm = useConfirm();
  const [tagging, setTagging] = useState(false);
  const numbers = [...ids].map(Number);
  const removeMany = useChannelMutation(() => call(channelApi.removeMany, { ids: numbers }));
  const tagMany = useChannelMutation((tag: string) => call(channelApi.tagMany, { ids: numbers, tag }));

  const remove = async () => {
    const agreed = await confirm({
      title: t(text.removeSelectedTitle, { count: ids.size }),
      body: t(text.irreversible),
      action: t(text.removeSelected),
      danger: true,
      ...(ids.size > 5 ? { typeToConfirm: String(ids.size) } : {}),
    });
    if (!agreed) return;
    removeMany.mutate(undefined, {
      onSuccess: (count) => {
        toast.good(t(text.removedCount, { count }));
        onDone();
      },
    });
  };

  return (
    <Group gap="xs">
      <strong>{t(text.selected, { count: ids.size })}</strong>
      <BatchRun ids={numbers} />
      <Button variant="default" onClick={() => setTagging(true)}>
        {t(text.setTag)}
      </Button>
      <Button color="red.8" loading={removeMany.isPending} onClick={() => void remove()}>
        {t(text.removeSelected)}
      </Button>
      <Button variant="subtle" color="gray" c="var(--tg-text-2)" onClick={onDone}>
        {t(text.clear)}
      </Button>
      <LazyMount when={tagging}>
        <TagDialog
          opened={tagging}
          onClose={() => setTagging(false)}
          onTag={(tag) =>
            tagMany.mutate(tag, {
              onSuccess: (count) => {
                setTagging(false);
                toast.good(t(text.tagged, { count }));
                onDone();
              },
            })
          }
        />
      </LazyMount>
    </Group>
  );
}
