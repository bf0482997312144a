import { type JsonObject, objectOf, textOf } from '../../../lib/json.ts';

/**
 * What an application does on the way to its answer, in a line; '' for what is not told. Shown as reasoning when
 * DIFY_DEBUG is on (docs/compatibility.md#channel-types).
 */
export function describeStep(body: JsonObject): string {
  const data = objectOf(body.data);
  const status = textOf(data.status);
  switch (body.event) {
    case 'workflow_started':
      return 'Workflow: started';
    case 'workflow_finished':
      return `Workflow: ${status}`;
    case 'node_started':
      return `Node: ${nodeName(data)}`;
    case 'node_finished':
      return `Node: ${nodeName(data)} ${status}`;
    case 'agent_thought':
      // The thought itself comes as the answer; told a second time with what the tool found.
      return textOf(body.tool) === '' || textOf(body.observation) !== '' ? '' : `Tool: ${textOf(body.tool)}`;
    default:
      return '';
  }
}

const nodeName = (data: JsonObject): string => textOf(data.title) || textOf(data.node_type);
