import { Button, Checkbox, FileButton, Group, Select, Stack } from '@mantine/core';
import { type CsvMapping, maxCsvHead, maxCsvText, reconciliationApi } from '@tollgate/contract';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { Upload } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../lib/api/api-client.ts';
import { errorMessage } from '../../lib/api/api-error.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';
import type { ReportChannels } from './fetch-form.tsx';
import { formText } from './form-text.ts';
import { guessDelimiter, mappingOf } from './guess-mapping.ts';
import { MappingFields } from './mapping-fields.tsx';
import classes from './reconciliation.module.css';

interface UploadFormProps {
  channels: ReportChannels;
  onTaken: (report: number) => void;
}

const noMapping: CsvMapping = {
  delimiter: ',',
  header: true,
  date_format: 'ymd',
  date: '',
  model: '',
  requests: '',
  input: '',
  cached: '',
  output: '',
  cost: '',
  cost_unit: 'dollars',
};

/** The first rows of the file as the server parses it with these delimiters. */
const usePreview = (body: string, { delimiter, header }: Pick<CsvMapping, 'delimiter' | 'header'>) =>
  useQuery({
    queryKey: ['csv-preview', body, delimiter, header],
    queryFn: ({ signal }) =>
      call(reconciliationApi.preview, { text: body.slice(0, maxCsvHead), delimiter, header }, { signal }),
    enabled: body !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
  });

/** The file, its column mapping, and the import. */
function useUpload({ channels, onTaken }: UploadFormProps) {
  const [file, setFile] = useState({ name: '', body: '' });
  const [chosen, setChosen] = useState<Partial<CsvMapping>>({});
  const remembered = channels.find((channel) => channel.mapping !== null)?.mapping ?? noMapping;
  const marks = {
    delimiter: chosen.delimiter ?? guessDelimiter(file.body),
    header: chosen.header ?? remembered.header,
  };
  const { data: preview } = usePreview(file.body, marks);
  const columns = preview?.columns ?? [];
  const mapping = mappingOf(columns, remembered, { ...chosen, ...marks });
  const change = (part: Partial<CsvMapping>) => setChosen((before) => ({ ...before, ...part }));
  // Another file may have another delimiter; the column mapping is kept.
  const choose = (next: typeof file) => {
    setFile(next);
    setChosen(({ ...kept }) => {
      delete kept.delimiter;
      return kept;
    });
  };
  const upload = useMutation({
    mutationFn: () =>
      call(reconciliationApi.upload, {
        channels: channels.map(({ id }) => id),
        name: file.name.slice(0, 255),
        text: file.body,
        mapping,
      }),
    onSuccess: ({ id }) => onTaken(id),
  });
  const isTooLarge = file.body.length > maxCsvText;
  const isMapped = columns.includes(mapping.date) && columns.includes(mapping.model);
  const isReady = channels.length > 0 && !isTooLarge && isMapped;
  return { file, choose, preview, columns, mapping, change, upload, isTooLarge, isReady };
}

/** Imports usage from a file by its columns. */
export function UploadForm(props: UploadFormProps) {
  const t = useTranslate();
  const language = useLanguage();
  const { file, choose, preview, columns, mapping, change, upload, isTooLarge, isReady } = useUpload(props);
  return (
    <Stack gap="md">
      <Group>
        <FileChoice onFile={choose} />
        <span className={classes.quiet}>{file.name}</span>
      </Group>
      <Problems words={[isTooLarge ? t(formText.tooLarge) : '', preview?.problem ?? '']} />
      {columns.length > 0 && (
        <>
          <Marks mapping={mapping} onChange={change} />
          <Preview columns={columns} rows={preview?.rows ?? []} hasHeader={mapping.header} />
          <MappingFields columns={columns} mapping={mapping} onChange={change} />
        </>
      )}
      <Problems words={[upload.error ? errorMessage(upload.error, language) : '']} />
      <div>
        <Button loading={upload.isPending} disabled={!isReady} onClick={() => upload.mutate()}>
          {t(formText.take)}
        </Button>
      </div>
    </Stack>
  );
}

function Problems({ words }: { words: readonly string[] }) {
  return words
    .filter((each) => each !== '')
    .map((each) => (
      <Notice key={each} tone="bad" role="alert">
        {each}
      </Notice>
    ));
}

function FileChoice({ onFile }: { onFile: (file: { name: string; body: string }) => void }) {
  const t = useTranslate();
  const read = async (file: File | null) => {
    if (file) onFile({ name: file.name, body: await file.text() });
  };
  return (
    <FileButton accept=".csv,.tsv,.txt,text/csv" onChange={(file) => void read(file)}>
      {(props) => (
        <Button {...props} variant="default" leftSection={<Upload size={15} />}>
          {t(formText.choose)}
        </Button>
      )}
    </FileButton>
  );
}

interface MarksProps {
  mapping: CsvMapping;
  onChange: (part: Partial<CsvMapping>) => void;
}

/** Delimiter of the cells. */
function Marks({ mapping, onChange }: MarksProps) {
  const t = useTranslate();
  const delimiters = [
    { value: ',', label: t(formText.comma) },
    { value: ';', label: t(formText.semicolon) },
    { value: '\t', label: t(formText.tab) },
    { value: '|', label: t(formText.bar) },
  ] as const;
  return (
    <Group align="end">
      <Select
        label={t(formText.delimiter)}
        data={delimiters}
        value={mapping.delimiter}
        allowDeselect={false}
        w={150}
        onChange={(value) => {
          const found = delimiters.find((each) => each.value === value);
          if (found) onChange({ delimiter: found.value });
        }}
      />
      <Checkbox
        mb={8}
        label={t(formText.header)}
        checked={mapping.header}
        onChange={(event) => onChange({ header: event.currentTarget.checked })}
      />
    </Group>
  );
}

interface PreviewProps {
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  hasHeader: boolean;
}

function Preview({ columns, rows, hasHeader }: PreviewProps) {
  const t = useTranslate();
  return (
    // A wide file also scrolls by the keyboard.
    <div className={classes.preview} role="region" aria-label={t(formText.preview)} tabIndex={0}>
      <table data-plain={!hasHeader || undefined}>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th key={`${index} ${column}`} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={`${index} ${row.join(' ')}`}>
              {columns.map((column, cell) => (
                <td key={`${cell} ${column}`}>{row[cell]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
