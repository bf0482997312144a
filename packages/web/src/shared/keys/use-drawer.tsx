import { Drawer, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { TokenData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { siteAddress } from '../../lib/address.ts';
import { useTranslate } from '../../lib/i18n.ts';
import { phoneQuery } from '../../lib/screen.ts';
import { useCurrentUser } from '../../lib/session.ts';
import { useStatus } from '../../lib/api/status.ts';
import { SecretField } from '../copy/secret-field.tsx';
import { chatModelsOf } from '../snippets/media.ts';
import { offersQuery } from '../snippets/offered.ts';
import { SetupPanel } from '../snippets/setup-panel.tsx';
import { pastableModel } from '../snippets/setups.ts';
import { SnippetTabs } from '../snippets/snippet-tabs.tsx';
import { LoadError } from '../state/load-error.tsx';
import { TryIt } from '../try-it/try-it.tsx';
import { Notice } from '../../ui/notice.tsx';
import { isShortened, wholeKey } from './key-form.ts';
import { useText } from './key-text.ts';

interface UseDrawerProps {
  opened: boolean;
  /** The key with its text, if it is loaded. */
  token: { data: TokenData | undefined; error: Error | null; refetch: () => unknown };
  /** The key was just created. */
  isNew: boolean;
  /** Names of the models that its payer may call. */
  models: readonly string[];
  /** Called after a call of the box was charged. */
  onCharged: () => void;
  onClose: () => void;
}

/** A key, sample code and setups of programs with the key, and a box to try it. */
export function UseDrawer({ opened, token, isNew, models, onCharged, onClose }: UseDrawerProps) {
  const t = useTranslate();
  const isPhone = useMediaQuery(phoneQuery) ?? false;
  const name = token.data?.name ?? '';
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      size={isPhone ? '100%' : 640}
      title={isNew ? t(useText.createdTitle) : t(useText.title, { name })}
      closeButtonProps={{ 'aria-label': t(useText.close) }}
    >
      {token.error ? (
        <LoadError error={token.error} onRetry={() => token.refetch()} />
      ) : token.data === undefined ? (
        <Skeleton height={260} mt="md" />
      ) : isShortened(token.data.key) ? (
        <Notice tone="warn">{t(useText.hashOnly)}</Notice>
      ) : (
        <UseBody
          apiKey={wholeKey(token.data)}
          models={
            token.data.model_limits_enabled ? token.data.model_limits.split(',').filter(Boolean) : models
          }
          onCharged={onCharged}
        />
      )}
    </Drawer>
  );
}

/** The models with a price: calls of others are refused. All models if none has a price. */
function usePriced(models: readonly string[]): readonly string[] {
  const { data: offers = [] } = useQuery(offersQuery(useCurrentUser()?.id ?? null));
  const unpriced = new Set(offers.filter(({ unset }) => unset).map((item) => item.model_name));
  const priced = models.filter((model) => !unpriced.has(model));
  return priced.length > 0 ? priced : models;
}

interface UseBodyProps {
  apiKey: string;
  models: readonly string[];
  onCharged: () => void;
}

function UseBody({ apiKey, models, onCharged }: UseBodyProps) {
  const t = useTranslate();
  const origin = siteAddress(useStatus());
  const priced = usePriced(models);
  return (
    <Stack gap="md" pt="md">
      <SecretField label={t(useText.keyLabel)} value={apiKey} />
      <SecretField label={t(useText.address)} value={`${origin}/v1`} open />
      <Tabs defaultValue="code" variant="pills" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="code">{t(useText.snippets)}</Tabs.Tab>
          <Tabs.Tab value="programs">{t(useText.programs)}</Tabs.Tab>
          <Tabs.Tab value="try">{t(useText.tryIt)}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="code">
          <SnippetTabs origin={origin} apiKey={apiKey} model={chatModelsOf(priced)[0]} models={models} />
        </Tabs.Panel>
        <Tabs.Panel value="programs">
          <SetupPanel values={{ origin, apiKey, model: pastableModel(chatModelsOf(priced)[0]) }} />
        </Tabs.Panel>
        <Tabs.Panel value="try">
          <Text size="sm" c="dimmed" mb="sm">
            {t(useText.tryHint)}
          </Text>
          <TryIt apiKey={apiKey} models={priced} onCharged={onCharged} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}
