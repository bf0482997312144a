import { Drawer, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { siteAddress } from '../../lib/address.ts';
import { useSay } from '../../lib/i18n.ts';
import { phoneQuery } from '../../lib/screen.ts';
import { useStatus } from '../../lib/api/status.ts';
import { SecretField } from '../../shared/copy/secret-field.tsx';
import { chatModelOf } from '../../shared/snippets/media.ts';
import { SnippetTabs } from '../../shared/snippets/snippet-tabs.tsx';
import { LoadError } from '../../shared/state/load-error.tsx';
import { TryIt } from '../../shared/try-it/try-it.tsx';
import { selfModelsQuery, selfQuery } from '../../shared/self/queries.ts';
import { Notice } from '../../ui/notice.tsx';
import { isShortened, tokenQuery, unpricedQuery, wholeKey } from './queries.ts';
import { useText } from './drawer-text.ts';
import { text } from './text.ts';

interface UseDrawerProps {
  /** 0 for none. */
  tokenId: number;
  /** The token was made a moment ago. */
  isNew: boolean;
  onClose: () => void;
}

/** A token's key, code for the usual clients with it filled in, and a box to try it. */
export function UseDrawer({ tokenId, isNew, onClose }: UseDrawerProps) {
  const say = useSay();
  const isPhone = useMediaQuery(phoneQuery) ?? false;
  const token = useQuery({ ...tokenQuery(tokenId), enabled: tokenId > 0 });
  const name = token.data?.name ?? '';
  return (
    <Drawer
      opened={tokenId > 0}
      onClose={onClose}
      size={isPhone ? '100%' : 640}
      title={isNew ? say(useText.createdTitle) : say(useText.title, { name })}
      closeButtonProps={{ 'aria-label': say(useText.close) }}
    >
      {token.error ? (
        <LoadError error={token.error} onRetry={() => token.refetch()} />
      ) : token.data === undefined ? (
        <Skeleton height={260} mt="md" />
      ) : isShortened(token.data.key) ? (
        <Notice tone="warn">{say(text.hashOnly)}</Notice>
      ) : (
        <UseBody
          apiKey={wholeKey(token.data)}
          limits={token.data.model_limits_enabled ? token.data.model_limits : ''}
        />
      )}
    </Drawer>
  );
}

/** Those of the models that have a price: calls of others are refused. All of them where none has one. */
function usePriced(models: readonly string[]): readonly string[] {
  const { data: unpriced } = useQuery(unpricedQuery);
  const priced = models.filter((model) => !unpriced?.has(model));
  return priced.length > 0 ? priced : models;
}

interface UseBodyProps {
  apiKey: string;
  /** Comma list of the models the token is limited to; '' for none. */
  limits: string;
}

function UseBody({ apiKey, limits }: UseBodyProps) {
  const say = useSay();
  const client = useQueryClient();
  const origin = siteAddress(useStatus());
  const { data: allModels = [] } = useQuery(selfModelsQuery);
  const models = limits === '' ? allModels : limits.split(',').filter(Boolean);
  const priced = usePriced(models);
  return (
    <Stack gap="md" pt="md">
      <SecretField label={say(useText.keyLabel)} value={apiKey} />
      <SecretField label={say(useText.address)} value={`${origin}/v1`} open />
      <Tabs defaultValue="code" variant="pills" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="code">{say(useText.snippets)}</Tabs.Tab>
          <Tabs.Tab value="try">{say(useText.tryIt)}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="code">
          <SnippetTabs
            origin={origin}
            apiKey={apiKey}
            model={chatModelOf(priced) ?? 'gpt-4o-mini'}
            models={models}
          />
        </Tabs.Panel>
        <Tabs.Panel value="try">
          <Text size="sm" c="dimmed" mb="sm">
            {say(useText.tryHint)}
          </Text>
          <TryIt
            apiKey={apiKey}
            models={priced}
            onCharged={() => void client.invalidateQueries({ queryKey: selfQuery.queryKey, exact: true })}
          />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}
