//! x
pub fn run(context: tauri::Context) -> std::process::ExitCode {
    let _ = tauri::Builder::default().run(context);
    std::process::ExitCode::SUCCESS
}
