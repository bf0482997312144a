import { Button, FileButton, Group, Progress, Stack, Table, Text } from '@mantine/core';
import { maxImportedMembers, type MemberImportResult, product, teamImportApi } from '@tollgate/contract';
import { useQueryClient } from '@tanstack/react-query';
import { Download, Upload } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { siteAddress } from '../../../lib/address.ts';
import { call } from '../../../lib/api/api-client.ts';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { useQuotaDisplay, useStatus } from '../../../lib/api/status.ts';
import { downloadText, toCsv } from '../../../lib/format/csv.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { Notice } from '../../../ui/notice.tsx';
import { Tag, type Tone } from '../../../ui/tag.tsx';
import { root } from '../base/queries.ts';
import { columns, FileProblem, readMembers, type ReadRow } from './read-members.ts';
import { importText as text } from './text.ts';

const template = toCsv([
  [...columns],
  ['ada', 'ada@school.example', 'Ada', 'member', '5', '20', '2027-01-31'],
]);

const tones: Record<MemberImportResult['outcome'], Tone> = {
  created: 'good',
  added: 'good',
  invited: 'info',
  changed: 'accent',
  unchanged: 'neutral',
  error: 'bad',
};

/** Rows of a request that changes something: each creation of a password takes the server a while. */
const batch = 20;
const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

interface ImportBodyProps {
  teamId: number;
  /** Root adds and creates users, an owner invites them. */
  isRoot: boolean;
  onClose: () => void;
}

/** The file, the preview of its rows, and the import in batches. */
function useImport({ teamId, isRoot }: Pick<ImportBodyProps, 'teamId' | 'isRoot'>) {
  const t = useTranslate();
  const language = useLanguage();
  const client = useQueryClient();
  const { perUnit } = useQuotaDisplay();
  const [rows, setRows] = useState<readonly ReadRow[]>([]);
  const [results, setResults] = useState<ReadonlyMap<number, MemberImportResult>>(new Map());
  const [problem, setProblem] = useState('');
  const [state, setState] = useState<'idle' | 'preview' | 'running' | 'done'>('idle');
  const [done, setDone] = useState(0);
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => void (isOpen.current = false);
  }, []);

  const send = async (some: readonly ReadRow[], isDry: boolean) => {
    const sent = some.flatMap(({ row }) => row ?? []);
    if (sent.length === 0) return [];
    const input = { id: teamId, rows: sent, time_zone: timeZone, dry_run: isDry };
    return call(isRoot ? teamImportApi.all : teamImportApi.own, input);
  };
  /** The results of rows by their lines; rows that could not be read have none. */
  const byLine = (some: readonly ReadRow[], found: readonly MemberImportResult[]) => {
    const valid = some.filter(({ row }) => row !== undefined);
    return found.flatMap((result, at) => (valid[at] ? [[valid[at].line, result] as const] : []));
  };

  const choose = async (file: File | null) => {
    if (!file) return;
    setProblem('');
    setState('idle');
    setRows([]);
    setResults(new Map());
    try {
      const read = readMembers(await file.text(), perUnit, maxImportedMembers);
      setResults(new Map(byLine(read, await send(read, true))));
      setRows(read);
      setState('preview');
    } catch (error) {
      setProblem(error instanceof FileProblem ? error.problem(t) : errorMessage(error, language));
    }
  };

  const apply = async () => {
    const pending = rows.filter(({ line, row }) => row && results.get(line)?.outcome !== 'error');
    setProblem('');
    setState('running');
    setDone(0);
    try {
      for (let at = 0; at < pending.length && isOpen.current; at += batch) {
        const some = pending.slice(at, at + batch);
        const found = byLine(some, await send(some, false));
        setResults((before) => new Map([...before, ...found]));
        setDone(at + some.length);
      }
      setState('done');
    } catch (error) {
      setProblem(errorMessage(error, language));
      setState('preview');
    } finally {
      await client.invalidateQueries({ queryKey: root });
      await client.invalidateQueries({ queryKey: ['budgets'] });
    }
  };
  return { rows, results, problem, state, done, choose, apply };
}

/** Imports members from a CSV file: a preview by row, then the import. */
export function ImportBody({ teamId, isRoot, onClose }: ImportBodyProps) {
  const t = useTranslate();
  const { rows, results, problem, state, done, choose, apply } = useImport({ teamId, isRoot });
  const outcomes = rows.map(({ line }) => results.get(line)?.outcome ?? 'error');
  const errors = outcomes.filter((each) => each === 'error').length;
  const changes = outcomes.filter((each) => each !== 'error' && each !== 'unchanged').length;
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t(text.hint)}
        <br />
        {t(isRoot ? text.rootHint : text.ownHint)}
      </Text>
      <Group>
        <FileButton accept=".csv,.tsv,.txt,text/csv" onChange={(file) => void choose(file)}>
          {(props) => (
            <Button
              {...props}
              variant={state === 'idle' ? 'filled' : 'default'}
              disabled={state === 'running'}
              leftSection={<Upload size={15} />}
              data-autofocus
            >
              {t(text.choose)}
            </Button>
          )}
        </FileButton>
        <Button
          variant="subtle"
          onClick={() => downloadText(`${product.id}-members.csv`, template, 'text/csv')}
        >
          {t(text.template)}
        </Button>
      </Group>
      {problem !== '' && (
        <Notice tone="bad" role="alert">
          {problem}
        </Notice>
      )}
      {rows.length > 0 && <Rows rows={rows} results={results} />}
      {state === 'preview' && (
        <Text size="sm" role="status">
          {t(text.preview)} {t(text.sums, { changes, errors })}
        </Text>
      )}
      {state === 'running' && (
        <Group gap={12} role="status">
          <span className="tabular">{t(text.progress, { done, count: changes })}</span>
          <Progress value={(done / Math.max(1, changes)) * 100} w={140} size="sm" aria-hidden="true" />
        </Group>
      )}
      {state === 'done' && <Done rows={rows} results={results} changes={changes} errors={errors} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t(text.close)}
        </Button>
        {(state === 'preview' || state === 'running') && (
          <Button loading={state === 'running'} disabled={changes === 0} onClick={() => void apply()}>
            {t(text.apply, { count: changes })}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

interface RowsProps {
  rows: readonly ReadRow[];
  results: ReadonlyMap<number, MemberImportResult>;
}

function Rows({ rows, results }: RowsProps) {
  const t = useTranslate();
  return (
    <Table.ScrollContainer minWidth={280} mah="45dvh" style={{ overflowY: 'auto' }} tabIndex={0}>
      <Table aria-label={t(text.label)} stickyHeader verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={56}>{t(text.line)}</Table.Th>
            <Table.Th>{t(text.user)}</Table.Th>
            <Table.Th>{t(text.result)}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ line, name, problem }) => {
            const result = results.get(line);
            const outcome = result?.outcome ?? 'error';
            return (
              <Table.Tr key={line}>
                <Table.Td className="tabular">{line}</Table.Td>
                <Table.Td style={{ wordBreak: 'break-word' }}>{result?.username ?? name}</Table.Td>
                <Table.Td>
                  <Tag tone={tones[outcome]}>{t(text[outcome])}</Tag> {problem?.(t) ?? result?.error}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Done({ rows, results, changes, errors }: RowsProps & { changes: number; errors: number }) {
  const t = useTranslate();
  const address = siteAddress(useStatus());
  const hasSecrets = [...results.values()].some(({ password, code }) => password !== '' || code !== '');
  const save = () => {
    const lines = rows.map(({ line, name, problem }) => {
      const {
        outcome = 'error',
        username = name,
        error = '',
        password = '',
        code = '',
      } = results.get(line) ?? {};
      const link = code === '' ? '' : `${address}/organisations/join#${code}`;
      return [line, username, outcome, problem?.(t) ?? error, password, link];
    });
    const head = ['line', 'username', 'result', 'error', 'password', 'invitation'];
    downloadText(`${product.id}-import.csv`, toCsv([head, ...lines]), 'text/csv');
  };
  return (
    <Stack gap="xs">
      <Text size="sm" role="status">
        {t(text.done, { changes, errors })}
      </Text>
      {hasSecrets && <Notice tone="warn">{t(text.saveHint)}</Notice>}
      <div>
        <Button variant="light" leftSection={<Download size={15} />} onClick={save}>
          {t(text.save)}
        </Button>
      </div>
    </Stack>
  );
}
