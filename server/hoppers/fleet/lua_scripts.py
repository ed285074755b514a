"""What Redis does in one step, and in one exchange with whoever asks for it."""

TELL = """
if redis.call('hget', KEYS[1], 'worker') ~= ARGV[1] or redis.call('hexists', KEYS[1], 'ended') == 1 then
  return 0
end
if ARGV[2] ~= '' then redis.call('rpush', KEYS[2], ARGV[2]) redis.call('expire', KEYS[2], ARGV[5]) end
if ARGV[6] ~= '' then
  redis.call('hset', KEYS[1], 'ended', '1')
  redis.call('expire', KEYS[1], ARGV[5])
  redis.call('zrem', KEYS[3], ARGV[6])
end
redis.call('publish', ARGV[3], ARGV[4])
return 1
"""
"""Keys: record, told, open. Arguments: worker, row, channel, message, seconds to keep it, id if it ends."""

CLAIM = """
if redis.call('hget', KEYS[1], 'worker') ~= ARGV[1] or redis.call('hexists', KEYS[1], 'ended') == 1 then
  return 0
end
redis.call('hset', KEYS[1], 'worker', ARGV[2])
return 1
"""
"""Key: record. Arguments: the worker it had, the worker it gets."""

WISH = """
if redis.call('exists', KEYS[1]) == 1 then
  redis.call('hset', KEYS[1], unpack(ARGV, 3))
  redis.call('publish', ARGV[1], ARGV[2])
end
"""
"""Key: record. Arguments: channel, word, wishes as names and values."""

STOP = """
local id = redis.call('hget', KEYS[1], ARGV[1])
if not id then return false end
local search = ARGV[2] .. id
local worker = redis.call('hget', search, 'worker')
if not worker or redis.call('hexists', search, 'ended') == 1 then return false end
redis.call('hset', search, 'stop', ARGV[3])
redis.call('publish', ARGV[4], id .. ' ' .. ARGV[3])
return worker == '' and id
"""
"""Key: tickets of an owner. Arguments: ticket, how records are named, reason, channel."""
