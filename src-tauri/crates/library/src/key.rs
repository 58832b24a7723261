//! Keys of what belongs to a conversation: the conversation in the upper half, the number in the lower.
//! A conversation's parts thus lie together in order, and a range of keys is all of them.

/// The key of part `number` of a conversation.
pub(crate) fn part_of(conversation: i64, number: u32) -> i64 {
    conversation << 32 | i64::from(number)
}

/// The first and last key of a conversation's parts from `number` on.
pub(crate) fn in_conversation(conversation: i64, number: u32) -> [i64; 2] {
    [part_of(conversation, number), part_of(conversation, u32::MAX)]
}
