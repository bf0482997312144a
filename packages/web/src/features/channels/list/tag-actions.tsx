import { Button, Group } from '@mantine/core';
import { channelApi } from '@tollgate/contract';
import { call } from '../../../lib/api/api-client.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { useUrlState } from '../../../shared/url-state/use-url-state.ts';
import { useChannelMutation } from '../base/queries.ts';
import { channelSearch } from '../base/search.ts';
import { tagText, text } from '../base/text.ts';

const quiet = { size: 'compact-sm', variant: 'subtle', color: 'gray', c: 'var(--tg-text-2)' } as const;

/** Actions on all channels of a tag. */
export function TagActions({ tag }: { tag: string }) {
  const t = useTranslate();
  const [, setSearch] = useUrlState(channelSearch);
  const enable = useChannelMutation(() => call(channelApi.enableTag, { tag }));
  const disable = useChannelMutation(() => call(channelApi.disableTag, { tag }));
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end" display="inline-flex">
      <MutationButton
        {...quiet}
        loading={enable.isPending}
        onClick={() => enable.mutate(undefined, { onSuccess: () => toast.good(t(text.nowEnabled)) })}
      >
        {t(tagText.enableAll)}
      </MutationButton>
      <MutationButton
        {...quiet}
        loading={disable.isPending}
        onClick={() => disable.mutate(undefined, { onSuccess: () => toast.good(t(text.nowDisabled)) })}
      >
        {t(tagText.disableAll)}
      </MutationButton>
      <Button {...quiet} onClick={() => setSearch({ tag })}>
        {t(tagText.edit)}
      </Button>
    </Group>
  );
}
