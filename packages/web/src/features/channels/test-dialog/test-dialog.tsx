import { Button, Group, Modal, NativeSelect, Progress, TextInput } from '@mantine/core';
import { channelTestKinds, type ChannelData } from '@tollgate/contract';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { formatDuration } from '../../../lib/format/number-format.ts';
import { useWireWords } from '../../../shared/wire-words/use-wire-words.ts';
import { Tag } from '../../../ui/tag.tsx';
import { splitList, type TestChoice } from '../base/queries.ts';
import classes from './test-dialog.module.css';
import { testKindText, testText as text } from '../base/text.ts';
import { useModelTests, type TestResult } from './use-model-tests.ts';

interface TestDialogProps {
  /** The channel whose models are tested; undefined while the dialog is closed. */
  channel: ChannelData | undefined;
  onClose: () => void;
}

/** Tests the models of a channel, one or all; results stay while the dialog is open. */
export function TestDialog({ channel, onClose }: TestDialogProps) {
  const t = useTranslate();
  return (
    <Modal
      opened={channel !== undefined}
      onClose={onClose}
      size="lg"
      title={t(text.title, { name: channel?.name ?? '' })}
      closeButtonProps={{ 'aria-label': t(text.close) }}
    >
      {channel && <Models channel={channel} />}
    </Modal>
  );
}

function Models({ channel }: { channel: ChannelData }) {
  const t = useTranslate();
  const [keyword, setKeyword] = useState('');
  const [kind, setKind] = useState<TestChoice>('');
  const { results, running, test, stop } = useModelTests(channel.id, kind);
  const models = splitList(channel.models).filter((model) =>
    model.toLowerCase().includes(keyword.trim().toLowerCase()),
  );
  return (
    <>
      <Group gap="xs" mb="sm">
        <TextInput
          style={{ flex: 1 }}
          aria-label={t(text.search)}
          placeholder={t(text.search)}
          leftSection={<Search size={15} />}
          value={keyword}
          onChange={(event) => setKeyword(event.currentTarget.value)}
        />
        <NativeSelect
          aria-label={t(text.kind)}
          data={['' as const, ...channelTestKinds].map((value) => ({
            value,
            label: t(testKindText[value === '' ? 'automatic' : value]),
          }))}
          value={kind}
          onChange={({ currentTarget: { value } }) =>
            setKind(channelTestKinds.find((one) => one === value) ?? '')
          }
        />
        {running ? (
          <Button variant="default" onClick={stop}>
            {t(text.stop)}
          </Button>
        ) : (
          <Button disabled={models.length === 0} onClick={() => test(models)}>
            {t(text.testAll, { count: models.length })}
          </Button>
        )}
      </Group>
      <TestedSoFar results={models.map((model) => results[model])} />
      <ul className={classes.models}>
        {models.map((model) => (
          <li key={model} className={classes.model}>
            <span className={classes.name}>{model}</span>
            <Result result={results[model]} />
            <Button
              size="compact-sm"
              variant="default"
              loading={results[model]?.state === 'running'}
              onClick={() => test([model])}
            >
              {t(text.test)}
            </Button>
          </li>
        ))}
        {models.length === 0 && <li className={classes.model}>{t(text.noModels)}</li>}
      </ul>
    </>
  );
}

/** How many models were tested, and how many of them failed. */
function TestedSoFar({ results }: { results: readonly (TestResult | undefined)[] }) {
  const t = useTranslate();
  const total = results.length;
  const failed = results.filter((result) => result?.state === 'bad').length;
  const done = failed + results.filter((result) => result?.state === 'good').length;
  if (done === 0) return null;
  return (
    <Group gap="sm" mb="sm" role="status">
      <span className="tabular">{t(text.progress, { done, total, failed })}</span>
      <Progress
        value={(done / total) * 100}
        style={{ flex: 1 }}
        size="sm"
        aria-label={t(text.testAll, { count: total })}
      />
    </Group>
  );
}

function Result({ result }: { result: TestResult | undefined }) {
  const t = useTranslate();
  const wireWords = useWireWords();
  if (result?.state === 'good') return <Tag tone="good">{formatDuration(result.seconds * 1000)}</Tag>;
  if (result?.state === 'bad')
    return (
      <>
        <Tag tone="bad">{t(text.failed)}</Tag>
        <span className={classes.problem}>{wireWords(result.problem)}</span>
      </>
    );
  return null;
}
