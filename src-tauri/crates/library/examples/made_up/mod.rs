//! What the examples share: a clock of work, and made-up talk with code, names, outputs of tools and Chinese.
#![allow(dead_code, reason = "each example uses its part")]

use std::time::Instant;

/// Time that this thread worked, so that a busy machine tells the same; by the clock where there is no
/// such count.
pub struct Worked(Option<u64>, Instant);

impl Worked {
    fn now() -> Option<u64> {
        std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
    }

    pub fn begin() -> Self {
        Self(Self::now(), Instant::now())
    }

    pub fn seconds(&self) -> f64 {
        match (self.0, Self::now()) {
            (Some(begun), Some(now)) => (now - begun) as f64 / 1e9,
            _ => self.1.elapsed().as_secs_f64(),
        }
    }
}

/// A small generator of numbers, the same on every machine.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

/// So many bytes of it, or of signs only, of which an index holds nothing.
pub fn text(numbers: &mut Numbers, bytes: usize, words: bool) -> String {
    const PLAIN: &str = "the of and to in is that for it as was with be by on not he at from this had which or an \
        but they you were her she all would there their will when who him been has more if no out so said what";
    const CHINESE: [&str; 12] = [
        "悬空引用需要重新检查，",
        "把窗口的大小记下来，",
        "测试为什么没有通过？",
        "先看日志，再改代码。",
        "这个函数太长了，",
        "数据库被锁住的时候怎么办，",
        "不要丢失任何记录，",
        "请用中文回答。",
        "接口返回的时间不对，",
        "发布之前跑一遍所有检查，",
        "这里少了一个参数，",
        "构建失败，依赖没有装上。",
    ];
    let plain: Vec<_> = PLAIN.split_whitespace().collect();
    let mut text = String::with_capacity(bytes + 32);
    while text.len() < bytes {
        match numbers.below(if words { 20 } else { 1 }) {
            _ if !words => text.push_str("( ) = { } ; + * # \n"),
            0 => text.push_str(&format!("get{}From{}(", plain[numbers.below(plain.len())], numbers.below(5000))),
            1 => text.push_str(&format!(
                "src/module_{}/file_{}.rs:{} ",
                numbers.below(50),
                numbers.below(900),
                numbers.below(999)
            )),
            2 => text.push_str(CHINESE[numbers.below(CHINESE.len())]),
            3 => text.push_str(&format!("word{} ", numbers.below(60_000))),
            4 => text.push_str(" = {\n    "),
            _ => {
                text.push_str(plain[numbers.below(plain.len())]);
                text.push(' ');
            }
        }
    }
    text
}
