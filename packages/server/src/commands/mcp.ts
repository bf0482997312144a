import { parseArgs } from 'node:util';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import { product, scopeAdmits } from '@tollgate/contract';
import { version } from '../boot/version.ts';
import { fail } from './shared/fail.ts';
import { describeCall, listCalls, type NamedCall, namedCalls } from './shared/named-calls.ts';
import { type Fields, makeCall, siteOptions, siteVariables, withSite } from './shared/site-calls.ts';

const usage = `Serves the management calls of a site to a model, as an MCP server on standard input and output:

  mcp           reads only
  mcp --write   makes changes too; let your client ask before each

${siteVariables}`;

const name = { type: 'string', description: 'Name of the call, such as channels.list' };
const fields = { type: 'object', description: 'Its fields, as describe_call names them' };
const reads = { readOnlyHint: true };

const readingTools: readonly Tool[] = [
  {
    name: 'list_calls',
    description: `The management calls of this ${product.name} site, with a line each. Without a part, all of them.`,
    inputSchema: {
      type: 'object',
      properties: { part: { type: 'string', description: 'A part, such as channels, users or logs' } },
    },
    annotations: reads,
  },
  {
    name: 'describe_call',
    description: 'What a call does, and its fields.',
    inputSchema: { type: 'object', properties: { name }, required: ['name'] },
    annotations: reads,
  },
  {
    name: 'read',
    description: 'Makes a call that changes nothing, and returns its answer.',
    inputSchema: { type: 'object', properties: { name, fields }, required: ['name'] },
    annotations: reads,
  },
];
const changingTool: Tool = {
  name: 'change',
  description: 'Makes a call that may change something, and returns its answer.',
  inputSchema: { type: 'object', properties: { name, fields }, required: ['name'] },
  annotations: { readOnlyHint: false, destructiveHint: true },
};

const options = { ...siteOptions, write: { type: 'boolean' }, help: { type: 'boolean' } } as const;
type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

/** The calls of access tokens that may only read change nothing. */
const isReading = ({ route }: NamedCall): boolean => scopeAdmits('read', route);

/** The text of a tool's answer. Throws if it is refused. */
async function useTool(tool: string, given: Fields, values: Values): Promise<string> {
  const calls = values.write ? namedCalls : namedCalls.filter(isReading);
  if (tool === 'list_calls') return listCalls(typeof given['part'] === 'string' ? given['part'] : '', calls);
  const call = calls.find((each) => each.name === given['name']);
  if (!call)
    throw new Error(`there is no such call ${values.write ? '' : 'that only reads'}; see list_calls`);
  if (tool === 'describe_call') return describeCall(call);
  const isOffered = tool === 'read' ? isReading(call) : tool === 'change' && values.write;
  if (!isOffered) throw new Error(`${call.name} cannot be made by the tool ${tool}`);
  const body = (given['fields'] ?? {}) as Fields;
  const answer = await withSite(values, (site) => makeCall(site, call.route, body));
  return 'text' in answer ? answer.text : JSON.stringify(answer.json, null, 1);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  if (values.help) return void process.stdout.write(usage);
  const server = new Server({ name: product.id, version }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...readingTools, ...(values.write ? [changingTool] : [])],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }): Promise<CallToolResult> => {
    try {
      return {
        content: [{ type: 'text', text: await useTool(params.name, params.arguments ?? {}, values) }],
      };
    } catch (error) {
      // The model reads why, and may try again.
      return {
        isError: true,
        content: [{ type: 'text', text: error instanceof Error ? error.message : '' }],
      };
    }
  });
  await server.connect(new StdioServerTransport());
}

main().catch((error: unknown) => fail('The server was not started', error));
