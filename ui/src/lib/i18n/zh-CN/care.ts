import type { care as english } from "../en/care";
import { pluralizer } from "../format";

const plural = pluralizer("zh-CN");
const p = (n: number, form: string) => plural(n, form, form);

export const care = {
  library: "资料库",
  location: "位置",
  size: "大小",
  move: "移动…",
  moveWhy: "移到你选的文件夹，设置一并带走。确认副本完好之后才删除旧文件。",
  moved: (path: string) => `资料库现在位于 ${path}。`,
  backUp: "备份",
  backUpWhy: "完整复制成一个文件，可以直接当作资料库打开。",
  backUpDo: "备份…",
  backedUp: (file: string) => `已保存为 ${file}。`,
  index: "搜索索引",
  indexWhy: "随时可以由资料库重建，例如搜索漏掉内容的时候。",
  indexDo: "重建",
  indexed: "索引已是最新。",
  indexLeft: (n: number) => p(n, "还有 # 条消息等待索引。"),
  working: "正在处理…",
  watch: "自动导入",
  watchWhy: "Assay 打开期间，新增或有改动的对话安静片刻后就会导入，不再预览。",
  mask: "导出时遮盖机密",
  maskWhy: "看得出来的密钥、令牌和密码会被替换。每次导出时都可以改。",
} satisfies typeof english;

export const placeNotes: Record<string, (n: string) => string> = {
  "encrypted-store": () => "加密的存储，没有打开",
  "unknown-store-layout": () => "这个版本不认识的存储格式，没有打开",
  "threads-without-rollout": (n) => `索引里有 ${n} 条没有对应的文件`,
  "staging-files": (n) => `${n} 个未完成的文件，没有读取`,
  "other-files": (n) => `${n} 个其他文件，没有读取`,
  "backup-copies": (n) => `${n} 个备份副本，没有读取`,
  "second-paths": (n) => `${n} 个从另一路径也能找到，只读一次`,
  "outside-of-project-folders": (n) => `${n} 个不在任何项目目录里`,
};

export const details: Record<string, (value: string) => string> = {
  "mirrored-texts": (n) => `${n} 段文字在文件里出现两次，各保留一次`,
  "same-id": (id) => `与 ${id} 编号相同`,
  "may-repeat": (id) => `可能与 ${id} 重复`,
  "imported-from": (path) => `由工具从 ${path} 导入`,
  "imported-turns": (n) => `${n} 轮由工具导入`,
  "copied-from": (id) => `开头复制自 ${id}`,
  "history-base": (id) => `接续自 ${id}`,
  records: (n) => `${n} 条记录`,
  path: (path) => path,
  cwd: (path) => `改为 ${path}`,
};
