import { noResource, type Resource } from '../activity/activity.ts';
import { firstText, type JsonObject, toObject } from '../json/value.ts';

/** The most specific resource of a Teams record: a message, an app, a channel, a team or a chat. Messages have no name. */
export function readTeamsResource(record: JsonObject): Resource {
  const message = firstText(record.MessageId, toObject(record.Message).Id);
  if (message !== null) return { id: message, name: null, type: 'message' };
  const app = firstText(record.AddOnGuid);
  if (app !== null) return { id: app, name: firstText(record.AddOnName), type: 'teamsApp' };
  const channel = firstText(record.ChannelGuid);
  if (channel !== null) return { id: channel, name: firstText(record.ChannelName), type: 'channel' };
  const team = firstText(record.TeamGuid);
  if (team !== null) return { id: team, name: firstText(record.TeamName), type: 'team' };
  const chat = firstText(record.ChatThreadId);
  return chat === null ? noResource : { id: chat, name: firstText(record.ChatName), type: 'chat' };
}
